import Glibc

/// A client of the stream on a socket of its own, which blocks for at most ten seconds.
final class LiveSocket {
    struct Frame {
        let opcode: UInt8
        let payload: [UInt8]
    }

    struct Broken: Error {
        let what: String
    }

    private let descriptor: Int32

    init(port: UInt16, path: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Broken(what: "not connected") }
        let request =
            "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Protocol: tessera.v1\r\nOrigin: http://localhost:\(port)\r\n\r\n"
        try write(Array(request.utf8))
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) { head += try read(1) }
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 101 ") else { throw Broken(what: text) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let payload = Array(text.utf8)
        // A mask of zeros is valid (RFC 6455 §5.3).
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xfe, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        try write([0x81] + length + [0, 0, 0, 0] + payload)
    }

    func receive() throws -> Frame {
        let head = try read(2)
        var length = Int(head[1])
        if length > 125 { length = try read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(opcode: head[0] & 15, payload: try read(length))
    }

    private func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Broken(what: "not sent") }
            written += count
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes[filled...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard got > 0 else { throw Broken(what: "nothing received") }
            filled += got
        }
        return bytes
    }
}
