import Testing

@testable import HTTPServer

extension WebSocketState {
    /// Takes bytes, and returns the messages they complete.
    fileprivate mutating func take(_ bytes: [UInt8]) -> [WebSocketMessage] {
        bytes.withUnsafeBytes { append($0) }
        var messages: [WebSocketMessage] = []
        while let event = next() {
            if case .message(let message) = event { messages.append(message) }
        }
        return messages
    }

    fileprivate mutating func sent() -> [UInt8] {
        var bytes: [UInt8] = []
        let hasSome = appendControl(to: &bytes)
        #expect(hasSome == !bytes.isEmpty)
        return bytes
    }
}

@Suite struct WebSocketStateTests {
    private func open() -> WebSocketState { WebSocketState(maximumMessage: 1_000) }

    @Test func `a ping is answered with its payload`() {
        var state = open()
        #expect(state.take(ClientFrame.bytes(9, [1, 2, 3])).isEmpty)
        #expect(state.sent() == [0x8A, 3, 1, 2, 3])
        #expect(state.sent().isEmpty)
    }

    @Test func `only the last of several unanswered pings is answered`() {
        var state = open()
        for number in 0..<200 as Range<UInt8> { _ = state.take(ClientFrame.bytes(9, [number])) }
        #expect(state.sent() == [0x8A, 1, 199])
    }

    @Test func `an unsolicited pong is ignored`() {
        var state = open()
        #expect(state.take(ClientFrame.bytes(10, [1])).isEmpty)
        #expect(state.sent().isEmpty)
        #expect(state.end == nil)
    }

    @Test func `a Close frame is answered with its code, and nothing follows`() {
        var state = open()
        #expect(state.take(ClientFrame.text("a") + ClientFrame.close(3_001, "why") + ClientFrame.text("b")).count == 1)
        #expect(state.end == .closedByClient(WebSocketCloseCode(rawValue: 3_001)!, reason: "why"))
        #expect(!state.isOver)
        #expect(state.sent() == [0x88, 2, 0x0B, 0xB9])
        #expect(state.isOver)
        state.ping()
        #expect(state.sent().isEmpty)
    }

    @Test func `a Close frame without a code is answered without one`() {
        var state = open()
        _ = state.take(ClientFrame.bytes(8))
        #expect(state.end == .closedByClient(.noStatus, reason: ""))
        #expect(state.sent() == [0x88, 0])
    }

    @Test func `after closing, the server awaits the answer and delivers no more messages`() {
        var state = open()
        state.close(.tryAgainLater, reason: "full")
        state.close(.normal, reason: "")
        #expect(state.end == .closed(.tryAgainLater))
        #expect(state.sent() == [0x88, 6, 0x03, 0xF5] + Array("full".utf8))
        #expect(!state.isOver)
        #expect(state.take(ClientFrame.text("late") + ClientFrame.bytes(9)).isEmpty)
        #expect(state.sent().isEmpty)
        _ = state.take(ClientFrame.close(1013))
        #expect(state.isOver)
        #expect(state.end == .closed(.tryAgainLater))
    }

    @Test func `both sides may close at the same time`() {
        var state = open()
        state.close(.goingAway, reason: "")
        _ = state.take(ClientFrame.close(1000))
        #expect(state.end == .closed(.goingAway))
        #expect(!state.isOver)
        #expect(state.sent() == [0x88, 2, 0x03, 0xE9])
        #expect(state.isOver)
    }

    @Test func `an error is sent after the pending pong, and no answer is awaited`() {
        var state = open()
        #expect(state.take(ClientFrame.bytes(9, [5]) + [0xFF]).isEmpty)
        guard case .failed(let error) = state.end else {
            Issue.record("not failed: \(String(describing: state.end))")
            return
        }
        #expect(
            state.sent() == [0x8A, 1, 5, 0x88, UInt8(2 + error.message.utf8.count), 0x03, 0xEA] + error.message.utf8)
        #expect(state.isOver)
    }

    @Test func `an error after the server's Close frame sends no second one`() {
        var state = open()
        state.close(.normal, reason: "")
        _ = state.sent()
        _ = state.take([0xFF])
        #expect(state.end == .closed(.normal))
        #expect(state.sent().isEmpty)
        #expect(state.isOver)
    }
}
