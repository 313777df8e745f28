import EventLoops

/// What a connection does once it is a WebSocket: moves bytes between its socket, the protocol's state and the handler.
///
/// A turn takes what the client has said before it sends anything, so that what is sent is decided by its last word.
/// After so many messages or bytes the other connections of the loop have their turn. All calls on the loop.
final class WebSocketChannel {
    /// Bytes sent after which the turn ends.
    private static let sentInTurn = 262_144
    /// Bytes from which on what there is to send is not added to: what is decided later is decided better. A call of the
    /// kernel, and the loopback's or the card's work behind it, costs as much as a dozen small messages.
    private static let gathered = 4_096
    /// Bytes of a body that are copied behind its head.
    private static let copied = 1_024
    /// Reads of a shard's buffer, and frames taken from what they brought, after which the turn ends. A message, which
    /// the handler has work with, counts as eight.
    private static let readsInTurn = 2
    private static let framesInTurn = 128
    private static let framesForMessage = 8

    /// Alive, since it is the connection that calls.
    private unowned let connection: Connection
    private let socket: WebSocket
    /// Until the end has been told.
    private var handler: (any WebSocketHandler)?
    private var state: WebSocketState
    private var vigil: WebSocketVigil
    /// Whether the handler may have a message.
    private var isHungry = true

    init(_ upgrade: WebSocketUpgrade, on connection: Connection, received: [UInt8]) {
        self.connection = connection
        handler = upgrade.handler
        socket = WebSocket(loop: connection.shard.loop, peer: connection.peer, subprotocol: upgrade.subprotocol)
        state = WebSocketState(maximumMessage: upgrade.configuration.maximumMessage)
        vigil = WebSocketVigil(upgrade.configuration)
        received.withUnsafeBytes { state.append($0) }
    }

    func open() {
        socket.open(connection)
        handler?.opened(socket)
        if connection.shard.isStopping { close(.goingAway, reason: Self.stopReason) }
        connection.process()
    }

    // MARK: What the handler asks for

    /// In the connection's turn: a client may have many sockets, and wake them all at once.
    func wake() {
        isHungry = true
        connection.yield()
    }

    func close(_ code: WebSocketCloseCode, reason: String) {
        state.close(code, reason: reason)
        connection.process()
    }

    // MARK: A turn

    func takeTurn() {
        guard !connection.isYielding else { return }
        takeInput()
        writeOutput()
    }

    private func takeInput() {
        var frames = Self.framesInTurn
        var reads = Self.readsInTurn
        while connection.phase == .open {
            while frames > 0, let event = state.next() {
                frames -= 1
                if case .message(let message) = event {
                    frames -= Self.framesForMessage - 1
                    isHungry = true
                    handler?.received(message)
                }
            }
            guard state.isReceiving else { break }
            let mayRead = connection.mayRead && !connection.peerHasFinished
            guard frames > 0, reads > 0 || !mayRead else {
                connection.yield()
                break
            }
            guard mayRead else { break }
            reads -= 1
            connection.read()
        }
        switch state.end {
        case .closedByClient, .failed: tellEnd()
        default: break
        }
    }

    /// Called by the connection with what it has read.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        vigil.heard()
        state.append(bytes)
    }

    private func writeOutput() {
        var budget = Self.sentInTurn
        while connection.phase == .open, !connection.isBlocked {
            if !connection.output.isEmpty {
                budget -= connection.output.first.count + connection.output.second.count
                connection.writeOutput()
            } else if state.isOver {
                connection.close()
            } else if state.appendControl(to: &connection.output.first) {
                continue
            } else if !isHungry || state.end != nil {
                return
            } else if budget <= 0 {
                connection.yield()
                return
            } else if !connection.awaitWritable() {
                return
            } else {
                pull()
            }
        }
    }

    /// Small messages are gathered until they are worth a call of the kernel; a large body is handed over as it is.
    private func pull() {
        repeat {
            guard let message = handler?.nextMessage() else {
                isHungry = false
                return
            }
            append(message)
        } while connection.output.second.isEmpty && connection.output.first.count < Self.gathered && state.end == nil
    }

    private func append(_ message: WebSocketMessage.Outgoing) {
        switch message {
        case .text(let text):
            WebSocketFrame.appendHead(.text, length: text.utf8.count, to: &connection.output.first)
            connection.output.first.append(contentsOf: text.utf8)
        case .binary(let head, let body):
            WebSocketFrame.appendHead(.binary, length: head.count + body.count, to: &connection.output.first)
            connection.output.first.append(contentsOf: head)
            if body.count <= Self.copied {
                connection.output.first.append(contentsOf: body)
            } else {
                connection.output.second = body
            }
        }
    }

    // MARK: The end

    private static let stopReason = "The server stops."

    /// The server stops.
    func windUp() { close(.goingAway, reason: Self.stopReason) }

    /// The connection is over, for whatever reason.
    func connectionEnded() { tellEnd() }

    /// Ends at once, as `end` unless it was ending already.
    func drop(_ end: WebSocketEnd) {
        if state.end == nil { tellEnd(end) }
        connection.tearDown(.aborted, resets: true)
    }

    private func tellEnd(_ end: WebSocketEnd = .disconnected) {
        guard let handler else { return }
        self.handler = nil
        socket.end()
        handler.ended(state.end ?? end)
    }

    /// Looks after the limits of time; `elapsed` since the last call.
    func sweep(_ elapsed: Duration) {
        switch vigil.look(elapsed, isClosing: state.end != nil) {
        case .wait: break
        case .ping:
            state.ping()
            connection.process()
        case .isSilent: return drop(.silent)
        case .isOverdue: return drop(.disconnected)
        }
        state.releaseBuffer()
        if connection.output.isEmpty { connection.output = OutputQueue() }
    }
}
