import EventLoops

/// Runs a connection that has become a WebSocket: moves bytes between its socket, the protocol's state and the handler.
///
/// A turn processes everything the client has sent before it sends anything, so that the next message to it follows
/// from its latest one. After a number of messages or bytes, the loop's other connections get a turn. All calls are on
/// the loop.
final class WebSocketChannel {
    /// Bytes sent per turn.
    private static let sentPerTurn = 262_144
    /// Once this many bytes are waiting, no more are added, since later decisions are better ones. A system call,
    /// with the network work behind it, costs as much as a dozen small messages.
    private static let gathered = 4_096
    /// The longest body to copy behind its head, in bytes.
    private static let copied = 1_024
    /// Per turn, how often the shard's buffer may be filled, and how many frames may be taken from it. A message,
    /// which costs the handler work, counts as eight.
    private static let readsPerTurn = 2
    private static let framesPerTurn = 128
    private static let framesForMessage = 8

    /// Always valid, because only the connection calls this object.
    private unowned let connection: Connection
    private let socket: WebSocket
    /// Nil once it has been told the end.
    private var handler: (any WebSocketHandler)?
    private var state: WebSocketState
    private var timeouts: WebSocketTimeouts
    /// Whether the handler may have a message.
    private var mayHaveMessage = true

    init(_ upgrade: WebSocketUpgrade, on connection: Connection, received: [UInt8]) {
        self.connection = connection
        handler = upgrade.handler
        socket = WebSocket(loop: connection.shard.loop, peer: connection.peer, subprotocol: upgrade.subprotocol)
        state = WebSocketState(maximumMessage: upgrade.configuration.maximumMessage)
        timeouts = WebSocketTimeouts(upgrade.configuration)
        received.withUnsafeBytes { state.append($0) }
    }

    func open() {
        socket.open(connection)
        handler?.opened(socket)
        if connection.shard.isStopping { close(.goingAway, reason: Self.stopReason) }
        connection.process()
    }

    // MARK: Calls from the handler

    /// Waits for the connection's turn: a client may have many sockets, and wake them all at once.
    func wake() {
        mayHaveMessage = true
        connection.yield()
    }

    func close(_ code: WebSocketCloseCode, reason: String) {
        state.close(code, reason: reason)
        connection.process()
    }

    // MARK: Turns

    func takeTurn() {
        guard !connection.isYielding else { return }
        takeInput()
        writeOutput()
    }

    private func takeInput() {
        var frames = Self.framesPerTurn
        var reads = Self.readsPerTurn
        while connection.phase == .open {
            while frames > 0, let event = state.next() {
                frames -= 1
                if case .message(let message) = event {
                    frames -= Self.framesForMessage - 1
                    mayHaveMessage = true
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
        case .closedByClient, .failed: notifyEnd()
        default: break
        }
    }

    /// Called by the connection with what it has read.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        timeouts.received()
        state.append(bytes)
    }

    private func writeOutput() {
        var budget = Self.sentPerTurn
        while connection.phase == .open, !connection.isBlocked {
            if !connection.output.isEmpty {
                budget -= connection.output.first.count + connection.output.second.count
                connection.writeOutput()
            } else if state.isOver {
                connection.close()
            } else if state.appendControl(to: &connection.output.first) {
                continue
            } else if !mayHaveMessage || state.end != nil {
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

    /// Gathers small messages until they are worth a system call; passes on a large body as it is.
    private func pull() {
        repeat {
            guard let message = handler?.nextMessage() else {
                mayHaveMessage = false
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

    // MARK: End

    private static let stopReason = "The server stops."

    /// The server is stopping.
    func closeGracefully() { close(.goingAway, reason: Self.stopReason) }

    /// The connection is over, for whatever reason.
    func connectionEnded() { notifyEnd() }

    /// Ends at once, with `end` unless it was ending already.
    func drop(_ end: WebSocketEnd) {
        if state.end == nil { notifyEnd(end) }
        connection.tearDown(.aborted, resets: true)
    }

    private func notifyEnd(_ end: WebSocketEnd = .disconnected) {
        guard let handler else { return }
        self.handler = nil
        socket.end()
        handler.ended(state.end ?? end)
    }

    /// Checks the timeouts; `elapsed` is the time since the last call.
    func sweep(_ elapsed: Duration) {
        switch timeouts.advance(by: elapsed, isClosing: state.end != nil) {
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
