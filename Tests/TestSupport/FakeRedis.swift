import Glibc
import Locking

/// A loopback server that serves each connection as a test's closure says, on a thread of its own.
public final class FakeRedis: Sendable {
    public let port: UInt16
    private let listener: Int32
    private let state = Guarded(State())

    private struct State {
        var conversations: [Conversation] = []
        var isClosed = false
    }

    /// - Parameter serve: May block until a read or write fails. The connection is closed when it returns.
    public init(_ serve: @escaping @Sendable (Conversation) -> Void) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = getsockname(listener, $0, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        listen(listener, 64)
        inThread { [self] in accept(serve) }
    }

    public var url: String { "redis://127.0.0.1:\(port)" }

    /// The number of connections so far.
    public var connections: Int { state.withLock { $0.conversations.count } }

    /// Ends all connections, and accepts no more.
    public func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        let conversations = state.withLock { state in
            state.isClosed = true
            return state.conversations
        }
        for conversation in conversations { conversation.hangUp() }
    }

    private func accept(_ serve: @escaping @Sendable (Conversation) -> Void) {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let conversation = state.withLock { state -> Conversation? in
                guard !state.isClosed else { return nil }
                state.conversations.append(Conversation(socket, number: state.conversations.count))
                return state.conversations.last
            }
            guard let conversation else {
                Glibc.close(socket)
                break
            }
            inThread {
                serve(conversation)
                conversation.close()
            }
        }
        Glibc.close(listener)
    }

    /// One connection.
    public final class Conversation: @unchecked Sendable {
        // Sendable because the descriptor is guarded by a lock, and the input buffer belongs to the serving thread.
        /// The number among all connections, from 0.
        public let number: Int
        private let open: Guarded<Int32>
        private let socket: Int32
        private var rest: [UInt8] = []

        fileprivate init(_ socket: Int32, number: Int) {
            self.socket = socket
            self.number = number
            open = Guarded(socket)
        }

        /// The next command; nil at the end.
        public func command() -> [String]? {
            guard let count = line().flatMap({ Int($0.dropFirst()) }) else { return nil }
            var words: [String] = []
            for _ in 0..<count {
                guard let length = line().flatMap({ Int($0.dropFirst()) }), let word = bytes(length + 2) else {
                    return nil
                }
                words.append(String(decoding: word.dropLast(2), as: UTF8.self))
            }
            return words
        }

        /// Sends a text.
        ///
        /// - Returns: Whether it could be sent.
        @discardableResult
        public func say(_ text: String) -> Bool { say(bytes: Array(text.utf8)) }

        /// The same for bytes.
        @discardableResult
        public func say(bytes: [UInt8]) -> Bool {
            var position = 0
            while position < bytes.count {
                let count = bytes[position...].withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                position += count
            }
            return true
        }

        /// Completes the greeting: replies until the client has sent a PING or subscribed to a channel. Returns the
        /// channel.
        @discardableResult
        public func greet() -> String? {
            while let words = command() {
                switch words[0] {
                case "PING":
                    say("+PONG\r\n")
                    return nil
                case "SUBSCRIBE":
                    subscribed(to: words[1])
                    return words[1]
                default: say("+OK\r\n")
                }
            }
            return nil
        }

        /// Confirms a subscription.
        public func subscribed(to channel: String) {
            say("*3\r\n$9\r\nsubscribe\r\n$\(channel.utf8.count)\r\n\(channel)\r\n:1\r\n")
        }

        /// The same for any protocol.
        public func ignoreBytes() { while hear() {} }

        /// Waits for any input; false at the end.
        public func hear() -> Bool {
            defer { rest = [] }
            return read()
        }

        /// Reads without replying, until the other side closes the connection.
        public func ignore() { while command() != nil {} }

        fileprivate func hangUp() {
            open.withLock { socket in if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) } }
        }

        fileprivate func close() {
            open.withLock { socket in
                Glibc.close(socket)
                socket = -1
            }
        }

        private func line() -> String? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeSubrange(...end) }
                    return String(decoding: rest[..<(end - 1)], as: UTF8.self)
                }
                guard read() else { return nil }
            }
        }

        private func bytes(_ count: Int) -> [UInt8]? {
            while rest.count < count { guard read() else { return nil } }
            defer { rest.removeFirst(count) }
            return Array(rest.prefix(count))
        }

        private func read() -> Bool {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &piece, piece.count, 0)
            if count > 0 { rest.append(contentsOf: piece[..<count]) }
            return count > 0
        }
    }
}
