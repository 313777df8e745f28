import CLinux
import EventLoops
import Glibc
import HTTPTypes
import Locking
import Testing

@testable import HTTPServer

/// Sends messages up to a limit, if any, and records at each call how many bytes are waiting in the socket.
private final class Flood: WebSocketHandler {
    struct State {
        /// The server's address, because another server in this process may have a client with the same port.
        var address: SocketAddress?
        var descriptor: Int32?
        var asked = 0
        var maximumUnsent = 0
        var wasFull = 0
        var number: UInt8 = 0
    }

    let state = Guarded(State())
    let size: Int
    let limit: Int
    let opening = Signal<WebSocket>()
    let end = Signal<WebSocketEnd>()

    init(size: Int, limit: Int = .max) {
        self.size = size
        self.limit = limit
    }

    var asked: Int { state.withLock(\.asked) }

    func opened(_ socket: WebSocket) {
        state.withLock {
            $0.descriptor = $0.address.flatMap { descriptor(from: $0, to: socket.peer) }
        }
        opening.give(socket)
    }

    func received(_ message: WebSocketMessage) {}

    func nextMessage() -> WebSocketMessage.Outgoing? {
        state.withLock { state in
            guard let descriptor = state.descriptor, state.asked < limit else { return nil }
            state.asked += 1
            state.maximumUnsent = max(state.maximumUnsent, unsent(descriptor))
            var query = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&query, 1, 0) != 1 { state.wasFull += 1 }
            return .binary(head: [state.number], body: [UInt8](repeating: 0, count: size - 1))
        }
    }

    func ended(_ end: WebSocketEnd) {
        state.withLock { $0.descriptor = nil }
        self.end.give(end)
    }
}

/// The server's end of a connection within this process.
private func descriptor(from address: SocketAddress, to peer: SocketAddress) -> Int32? {
    typealias Query = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    func ask(_ descriptor: Int32, _ query: Query) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { query(descriptor, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }
    return (3..<65_536 as Range<Int32>).first {
        ask($0, getsockname) == address && ask($0, getpeername) == peer
    }
}

/// Bytes that the kernel has accepted but not sent (`SIOCOUTQNSD`).
private func unsent(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, 0x894B, &count) == 0 ? Int(count) : .max
}

/// Data segments that the kernel has sent (`tcpi_data_segs_out` of Linux's `tcp_info`).
private func segments(_ descriptor: Int32) -> Int {
    var info = [UInt32](repeating: 0, count: 64)
    var length = socklen_t(info.count * MemoryLayout<UInt32>.size)
    return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 ? Int(info[39]) : .max
}

@Suite(.timeLimit(.minutes(1)))
struct WebSocketPressureTests {
    // MARK: Sending

    /// Waits until the flood has settled.
    private func settle(_ flood: Flood) async throws {
        var before = -1
        var settled = 0
        while settled < 20 {
            let now = flood.asked
            settled = now == before && now > 0 ? settled + 1 : 0
            before = now
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test(arguments: [1_000, 15_000, 100_000])
    func `a message is requested only when the socket has room, and few bytes wait in it`(size: Int) async throws {
        let flood = Flood(size: size)
        let lowWater = 16_384
        try await withServer(webSocketResponder { flood }, configure: { $0.unsentLowWater = lowWater }) { server in
            flood.state.withLock { $0.address = server.address }
            let client = try await server.openWebSocket(receiveBuffer: 16_384)
            let socket = await flood.opening.value
            try await settle(flood)
            let waiting = await withCheckedContinuation { continuation in
                socket.loop.execute {
                    continuation.resume(returning: flood.state.withLock { unsent($0.descriptor ?? -1) })
                }
            }
            // What the kernel accepted beyond its low-water mark is the rest of a piece that it had begun.
            #expect(waiting <= 2 * lowWater)
            let total = 4_000_000
            _ = try await client.connection.receive(count: total)
            #expect(flood.state.withLock { $0.wasFull } == 0)
            #expect(flood.state.withLock { $0.maximumUnsent } < lowWater)
            #expect(flood.asked * size < total + 600_000 + size)
        }
    }

    @Test func `small messages are coalesced into few TCP segments`() async throws {
        let flood = Flood(size: 200, limit: 16)
        try await withServer(webSocketResponder { flood }) { server in
            flood.state.withLock { $0.address = server.address }
            let client = try await server.openWebSocket()
            let descriptor = try #require(flood.state.withLock(\.descriptor))
            for _ in 0..<16 { #expect(try await client.receive().payload.count == 200) }
            // The first segment carried the handshake's response.
            #expect(flood.asked == 16 && segments(descriptor) <= 3)
        }
    }

    @Test func `messages for a slow reader are chosen only when it reads on`() async throws {
        let flood = Flood(size: 1_000)
        try await withServer(webSocketResponder { flood }) { server in
            flood.state.withLock { $0.address = server.address }
            let client = try await server.openWebSocket(receiveBuffer: 8_192)
            try await settle(flood)
            let asked = flood.asked
            flood.state.withLock { $0.number = 1 }
            var old = 0
            while try await client.receive().payload.first == 0 { old += 1 }
            #expect(old == asked)
            #expect(old < 200)
        }
    }

    @Test func `a client that reads nothing is dropped`() async throws {
        let flood = Flood(size: 10_000)
        try await withServer(webSocketResponder { flood }, configure: { $0.writeTimeout = .milliseconds(150) }) {
            server in
            flood.state.withLock { $0.address = server.address }
            let client = try await server.openWebSocket(receiveBuffer: 8_192)
            #expect(await flood.end.value == .stalled)
            #expect(try await client.connection.endsWithReset())
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }

    @Test func `messages from a client arrive while it reads nothing`() async throws {
        let handler = ScriptedHandler()
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket(receiveBuffer: 8_192)
            _ = await handler.opening.value
            let message = WebSocketMessage.Outgoing.binary(head: [], body: [UInt8](repeating: 0, count: 4_000_000))
            handler.give([message, message])
            try await waitUntil { handler.left == 1 }
            try await client.send(ClientFrame.text("stop"))
            try await waitUntil { handler.received == [.text("stop")] }
            #expect(handler.left == 1)
        }
    }

    // MARK: Receiving

    /// The most by which `count` grows between two jobs of the loop. In between, a connection may have two turns: one
    /// for an event, and one that was postponed.
    private func largestTurn(
        _ socket: WebSocket, of count: @escaping @Sendable () -> Int, until end: Int
    ) -> Signal<Int> {
        let result = Signal<Int>()
        @Sendable func look(last: Int, most: Int) {
            let now = count()
            let most = max(most, now - last)
            guard now < end else { return result.give(most) }
            socket.loop.execute { look(last: now, most: most) }
        }
        socket.loop.execute { look(last: count(), most: 0) }
        return result
    }

    @Test func `a flood of small messages does not monopolize the loop`() async throws {
        let handler = ScriptedHandler()
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket()
            let turn = largestTurn(await handler.opening.value, of: { handler.received.count }, until: 20_000)
            let frame = ClientFrame.bytes(2, [1])
            try await client.send([[UInt8]](repeating: frame, count: 20_000).flatMap { $0 })
            #expect(await turn.value <= 2 * 16)
        }
    }

    @Test func `a client that reads fast does not monopolize the loop`() async throws {
        let flood = Flood(size: 10_000)
        try await withServer(webSocketResponder { flood }, configure: { $0.unsentLowWater = 4_000_000 }) { server in
            flood.state.withLock { $0.address = server.address }
            let client = try await server.openWebSocket()
            let turn = largestTurn(await flood.opening.value, of: { flood.asked }, until: 1_000)
            _ = try await client.connection.receive(count: 10_000_000)
            #expect(await turn.value <= 2 * 27)
        }
    }

    @Test func `a flood of pings gets few pongs, and does not block other clients`() async throws {
        let handler = ScriptedHandler()
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket(receiveBuffer: 8_192)
            let pings = 50_000
            let flood = (0..<pings).flatMap { ClientFrame.bytes(9, [UInt8](repeating: UInt8($0 & 0xFF), count: 100)) }
            async let sent: Void = client.send(flood + ClientFrame.bytes(9, [1, 2, 3]))
            // The client reads nothing meanwhile, and another one is served.
            let other = try server.connect()
            for _ in 0..<20 {
                try await other.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await other.receive().text == "other")
            }
            try await sent
            var pongs = 1
            while try await client.receive().payload != [1, 2, 3] { pongs += 1 }
            #expect(pongs < pings / 10)
        }
    }

    // MARK: Silence

    @Test func `a silent client is pinged, and dropped if it stays silent`() async throws {
        let handler = ScriptedHandler()
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .milliseconds(40)
        configuration.silenceLimit = .milliseconds(300)
        try await withServer(
            webSocketResponder(configuration: configuration) { handler },
            configure: { $0.lingerTimeout = .milliseconds(40) }
        ) { server in
            let client = try await server.openWebSocket()
            #expect(try await client.receive(pings: true) == ServerFrame(opcode: 9, payload: []))
            #expect(await handler.end.value == .silent)
            #expect(try await client.connection.endsWithReset())
        }
    }

    @Test func `a client that answers pings is pinged again`() async throws {
        let handler = ScriptedHandler()
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .milliseconds(40)
        try await withServer(
            webSocketResponder(configuration: configuration) { handler },
            configure: { $0.lingerTimeout = .milliseconds(40) }
        ) { server in
            let client = try await server.openWebSocket()
            for _ in 0..<5 {
                #expect(try await client.receive(pings: true) == ServerFrame(opcode: 9, payload: []))
                try await client.send(ClientFrame.bytes(10))
            }
            #expect(handler.end.count == 0)
        }
    }
}
