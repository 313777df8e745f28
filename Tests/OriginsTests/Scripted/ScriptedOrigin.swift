import Glibc
import Locking
import TestSupport

/// An origin on a loopback socket that behaves, and misbehaves, as the test's script says. It blocks on its sockets in
/// threads of its own, one per connection, so that it shares nothing with the tested event loop.
final class ScriptedOrigin: Sendable {
    typealias Script = @Sendable (ScriptedVisit) -> Void

    let port: UInt16
    private let listener: Int32
    private let script: Script
    private let state = Guarded(State())

    private struct State {
        var requests: [ScriptedRequest] = []
        var connections = 0
        var open: Set<Int32> = []
    }

    init(_ script: @escaping Script) {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(listener, pointer, length) == 0 && listen(listener, 512) == 0)
                getsockname(listener, pointer, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        inThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    close(listener)
                    return
                }
                inThread { [self] in serve(connection) }
            }
        }
    }

    /// Closes the listener and all open connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ $0.open }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    func url(_ path: String = "/picture") -> String { "http://127.0.0.1:\(port)\(path)" }
    var requests: [ScriptedRequest] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    var openNow: Int { state.withLock { $0.open.count } }

    private func serve(_ connection: Int32) {
        state.withLock {
            $0.connections += 1
            $0.open.insert(connection)
        }
        var pending: [UInt8] = []
        while let head = ScriptedOrigin.readHead(connection, &pending) {
            var asked = ScriptedRequest(head)
            asked.body = ScriptedOrigin.readBody(connection, asked.length, &pending)
            let visit = state.withLock { [asked] state in
                var request = asked
                request.number = state.requests.count { $0.target == request.target } + 1
                state.requests.append(request)
                return ScriptedVisit(request, connection)
            }
            script(visit)
            if visit.isClosed { break }
        }
        _ = state.withLock { $0.open.remove(connection) }
        close(connection)
    }

    private static func readBody(_ connection: Int32, _ length: Int, _ pending: inout [UInt8]) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while pending.count < length {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            pending += chunk[..<count]
        }
        defer { pending.removeFirst(min(length, pending.count)) }
        return Array(pending.prefix(length))
    }

    private static func readHead(_ connection: Int32, _ pending: inout [UInt8]) -> String? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: pending, as: UTF8.self)
            if let end = text.range(ofBlankLine: ()) {
                pending.removeFirst(text[..<end.upperBound].utf8.count)
                return String(text[..<end.lowerBound])
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            pending += chunk[..<count]
        }
    }
}

struct ScriptedRequest: Sendable {
    let method: String
    let target: String
    let fields: [String: String]
    /// The number of requests for this target so far, from 1.
    var number = 0
    var body: [UInt8] = []
    /// The length of the body in bytes, as the head declares it.
    var length: Int { fields["content-length"].flatMap { Int($0) } ?? 0 }

    init(_ head: String) {
        let lines = head.split(separator: "\r\n")
        method = lines.first?.split(separator: " ").first.map(String.init) ?? ""
        target = lines.first.map { String($0.split(separator: " ")[1]) } ?? ""
        fields = lines.dropFirst().reduce(into: [:]) { fields, line in
            guard let colon = line.firstIndex(of: ":") else { return }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
    }
}

/// One request to a scripted origin, to be answered.
final class ScriptedVisit: Sendable {
    let request: ScriptedRequest
    private let connection: Int32
    private let closed = Guarded(false)

    init(_ request: ScriptedRequest, _ connection: Int32) {
        self.request = request
        self.connection = connection
    }

    var isClosed: Bool { closed.withLock { $0 } }

    /// A response with its length.
    func answer(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8] = []) {
        send(head(status, fields + ["Content-Length: \(body.count)"]))
        send(body)
    }

    func head(_ status: String = "200 OK", _ fields: [String] = []) -> String {
        (["HTTP/1.1 \(status)"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return close() }
            sent += count
        }
    }

    /// Ends the connection after this request.
    func close() { closed.withLock { $0 = true } }

    /// Ends the connection with a reset rather than an orderly close.
    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    /// Sends nothing more until the other side has closed, and returns when that was.
    @discardableResult
    func hang() -> ContinuousClock.Instant {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        close()
        return .now
    }
}

extension String {
    fileprivate func range(ofBlankLine: Void) -> Range<String.Index>? {
        // A line end is one Character in Swift, so two of them form the blank line.
        var previous: Character?
        for index in indices {
            if self[index] == "\r\n", previous == "\r\n" {
                return self.index(before: index)..<self.index(after: index)
            }
            previous = self[index]
        }
        return nil
    }
}
