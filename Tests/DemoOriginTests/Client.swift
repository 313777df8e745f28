import Glibc
import TestSupport

/// Sends a request over a socket and on a thread of its own.
struct Client: Sendable {
    let port: UInt16

    init(base: String) {
        port = base.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    struct Answer: Sendable {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        /// Whether the body is as long as its head declares.
        var isWhole: Bool { fields["content-length"].flatMap { Int($0) } == body.count }
    }

    func get(_ path: String, _ fields: [String] = [], method: String = "GET", body: String = "") async -> Answer {
        await withCheckedContinuation { continuation in
            inThread {
                let socket = connected(sending: request(path, fields, method: method, body: body))
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(socket, &chunk, chunk.count, 0)
                    guard count > 0 else { break }
                    bytes += chunk[..<count]
                }
                close(socket)
                continuation.resume(returning: Client.parse(bytes))
            }
        }
    }

    /// Sends a request and returns its socket, without reading anything.
    func connected(sending text: String) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let bytes = Array(text.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return descriptor
    }

    func request(_ path: String, _ fields: [String] = [], method: String = "GET", body: String = "") -> String {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(path) HTTP/1.1", "Host: demo", "Connection: close"] + length + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func parse(_ bytes: [UInt8]) -> Answer {
        var answer = Answer()
        let blank: [UInt8] = [13, 10, 13, 10]
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) }) else { return answer }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        answer.status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            answer.fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        answer.body = Array(bytes[(end + 4)...])
        return answer
    }
}
