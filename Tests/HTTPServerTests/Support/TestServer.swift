import Dispatch
import Glibc
import HTTPTypes
import Logging

@testable import HTTPServer

/// A server on a free port of the loopback interface, for one test.
struct TestServer {
    let server: HTTPServer
    let address: SocketAddress

    /// - Parameter host: The client's address, 127.0.0.x; nil for any.
    func connect(from host: UInt32? = nil, receiveBuffer: Int32? = nil) throws -> TestClient {
        let source = host.map { SocketAddress(ip: .v4(0x7F00_0000 | $0), port: 0) }
        return try TestClient(to: address, from: source, receiveBuffer: receiveBuffer)
    }
}

struct TestError: Error, CustomStringConvertible {
    let description: String
}

func withServer<Result: Sendable>(
    _ responder: any Responder, clients: any ClientIdentifying = DirectPeers(),
    figures: ServerStatistics = ServerStatistics(), accessLog: AccessLog? = nil,
    configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Result
) async throws -> Result {
    var configuration = HTTPServer.Configuration()
    configuration.loops = 1
    configure(&configuration)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = HTTPServer(
        configuration: configuration, responder: responder, clients: clients, figures: figures, logger: logger,
        accessLog: accessLog)
    let test = TestServer(server: server, address: try await server.start())
    do {
        let result = try await body(test)
        await server.stop(within: .zero)
        return result
    } catch {
        await server.stop(within: .zero)
        throw error
    }
}

/// A response as a client reads it.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A client that writes what a test wants on the wire, and reads what arrives, each on a queue of its own. It waits
/// for at most 20 s.
final class TestClient: Sendable {
    let socket: Int32
    private let queue = DispatchQueue(label: "client.receive")
    private let sendQueue = DispatchQueue(label: "client.send")
    /// Bytes received but not yet consumed. Invariant: used only on `queue`.
    nonisolated(unsafe) private var buffer: [UInt8] = []

    init(to address: SocketAddress, from source: SocketAddress? = nil, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw TestError(description: "socket: \(errno)") }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, source.withKernelAddress({ Glibc.bind(socket, $0, $1) }) != 0 {
            throw TestError(description: "bind: \(errno)")
        }
        guard address.withKernelAddress({ Glibc.connect(socket, $0, $1) }) == 0 else {
            throw TestError(description: "connect: \(errno)")
        }
    }

    deinit { close(socket) }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            sendQueue.async { [self] in continuation.resume(with: Result { try sendAll(bytes, to: socket) }) }
        }
    }

    /// Shuts down the sending side.
    func finish() { shutdown(socket, Int32(SHUT_WR)) }

    /// Closes with a reset.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        leave()
    }

    /// Closes in an orderly way: nothing more is sent or read.
    func leave() {
        // The descriptor number stays in use until the end of the test.
        let spare = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        dup2(spare, socket)
        close(spare)
    }

    /// The next complete response.
    func receive(isHead: Bool = false) async throws -> Answer {
        try await perform { [self] in
            let (status, headers) = try readHead()
            guard !isHead, status >= 200, status != 204, status != 304 else {
                return Answer(status: status, headers: headers, body: [])
            }
            if headers[.transferEncoding] == "chunked" {
                return Answer(status: status, headers: headers, body: try readChunks())
            }
            if let length = headers[.contentLength].flatMap({ Int($0) }) {
                return Answer(status: status, headers: headers, body: try take(length))
            }
            return Answer(status: status, headers: headers, body: try readToEnd())
        }
    }

    /// The head of the next response.
    func receiveHead() async throws -> Answer {
        try await perform { [self] in
            let (status, headers) = try readHead()
            return Answer(status: status, headers: headers, body: [])
        }
    }

    func receive(count: Int) async throws -> [UInt8] {
        try await perform { [self] in try take(count) }
    }

    /// Everything up to an orderly end. A reset throws.
    func receiveToEnd() async throws -> String {
        try await perform { [self] in String(decoding: try readToEnd(), as: UTF8.self) }
    }

    /// Whether the connection ends with a reset, whatever comes before.
    func endsWithReset() async throws -> Bool {
        try await perform { [self] in
            do {
                while try fill() {}
                return false
            } catch let error as TestError {
                guard error.description == "recv: \(ECONNRESET)" else { throw error }
                return true
            }
        }
    }

    // MARK: On the queue

    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &piece, piece.count, 0)
        guard count >= 0 else { throw TestError(description: "recv: \(errno)") }
        buffer.append(contentsOf: piece[..<count])
        return count > 0
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw TestError(description: "the answer is cut: \(buffer.count) of \(count)") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = try take(end + 1)
                guard line.dropLast().last == 0x0D else { throw TestError(description: "a bare line feed") }
                return String(decoding: line.dropLast(2), as: UTF8.self)
            }
            guard try fill() else { throw TestError(description: "no line: the connection has ended") }
        }
    }

    private func readHead() throws -> (Int, HTTPFields) {
        let line = try readLine()
        guard line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3)) else {
            throw TestError(description: "no status line: \(line)")
        }
        var headers = HTTPFields()
        while true {
            let line = try readLine()
            guard !line.isEmpty else { return (status, headers) }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
                throw TestError(description: "no field: \(line)")
            }
            headers.append(HTTPField(name: name, value: String(parts[1].dropFirst())))
        }
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            guard let size = Int(try readLine(), radix: 16) else { throw TestError(description: "no chunk size") }
            body += try take(size)
            guard try readLine().isEmpty else { throw TestError(description: "a chunk has no end") }
            guard size > 0 else { return body }
        }
    }

    private func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }
}

/// Blocks until everything is sent.
private func sendAll(_ bytes: [UInt8], to socket: Int32) throws {
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw TestError(description: "send: \(errno)") }
        sent += count
    }
}
