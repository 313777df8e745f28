import EventLoops
import Locking

@testable import HTTPServer

/// A handler that records its calls, and sends what a test gives it.
final class ScriptedHandler: WebSocketHandler {
    private struct State {
        var socket: WebSocket?
        var received: [WebSocketMessage] = []
        var outgoing: [WebSocketMessage.Outgoing] = []
        var asked = 0
        var isOver = false
        var mistakes: [String] = []
    }

    private let state = Guarded(State())
    private let echoes: Bool
    let opening = Signal<WebSocket>()
    let end = Signal<WebSocketEnd>()
    /// Called on the loop when a message has arrived.
    private let onMessage: (@Sendable (WebSocket, WebSocketMessage) -> Void)?

    init(echoes: Bool = false, onMessage: (@Sendable (WebSocket, WebSocketMessage) -> Void)? = nil) {
        self.echoes = echoes
        self.onMessage = onMessage
    }

    var received: [WebSocketMessage] { state.withLock(\.received) }
    /// How often the next message was requested.
    var asked: Int { state.withLock(\.asked) }
    var left: Int { state.withLock(\.outgoing.count) }
    /// Calls that should not have happened.
    var mistakes: [String] { state.withLock(\.mistakes) }

    func give(_ messages: [WebSocketMessage.Outgoing]) {
        let socket = state.withLock { state in
            state.outgoing += messages
            return state.socket
        }
        socket?.wake()
    }

    private func note(_ call: String, _ body: (inout State) -> Void) {
        state.withLock { state in
            if state.isOver { state.mistakes.append("\(call) after the end") }
            if state.socket?.loop.isCurrent == false { state.mistakes.append("\(call) not on the loop") }
            body(&state)
        }
    }

    func opened(_ socket: WebSocket) {
        note("opened") { state in
            if state.socket != nil { state.mistakes.append("opened twice") }
            state.socket = socket
        }
        opening.give(socket)
    }

    func received(_ message: WebSocketMessage) {
        note("received") { state in
            state.received.append(message)
            guard echoes else { return }
            switch message {
            case .text(let text): state.outgoing.append(.text(text))
            case .binary(let bytes): state.outgoing.append(.binary(head: [], body: bytes))
            }
        }
        if let onMessage, let socket = state.withLock({ $0.socket }) { onMessage(socket, message) }
    }

    func nextMessage() -> WebSocketMessage.Outgoing? {
        var message: WebSocketMessage.Outgoing?
        note("nextMessage") { state in
            state.asked += 1
            message = state.outgoing.isEmpty ? nil : state.outgoing.removeFirst()
        }
        return message
    }

    func ended(_ end: WebSocketEnd) {
        note("ended") { $0.isOver = true }
        self.end.give(end)
    }
}

/// Responds to `/` with a WebSocket, and to everything else with a word.
func webSocketResponder(
    subprotocols: [String] = [], configuration: WebSocketConfiguration = .init(),
    _ handler: @escaping @Sendable () -> any WebSocketHandler
) -> Answering {
    Answering { request, reply in
        guard request.path == "/" else { return reply.send(Response(text: "other")) }
        reply.send(
            .webSocket(
                for: request, subprotocols: subprotocols, configuration: configuration, handler: handler()))
    }
}
