import CLinux
import Clients
import EventLoops
import Glibc
import HTTPTypes

/// One client's connection: reads requests, passes them on, and writes the responses in the order of the requests.
///
/// `@unchecked Sendable`. Invariant: all its state belongs to the loop of its shard, and every method is called there.
final class Connection: EventHandler, @unchecked Sendable {
    enum Phase {
        case open
        /// Everything has been sent. What the client still sends is discarded, because otherwise the kernel would
        /// respond with a reset that could destroy the last response on its way (RFC 9112 §9.6).
        case lingering
        case closed
    }

    let shard: Shard
    let socket: Int32
    let peer: SocketAddress
    /// The client that the connection counts for; nil for a proxy's connection, which carries other clients' requests.
    let countedClient: ClientAddress?
    /// Its index among the shard's connections.
    var position = 0

    var phase = Phase.open
    var parser: RequestParser
    /// Requests whose responses are not completely written, in order.
    var exchanges: [Exchange] = []
    var nextNumber: UInt64 = 0
    var receiving: Receiving?
    /// False once no further request is accepted.
    var takesRequests = true
    /// The request for a WebSocket that is still pending: until it is answered, the bytes after it may not be HTTP.
    var heldBack: UInt64?
    /// Set once the connection has become a WebSocket, for good.
    var channel: WebSocketChannel?
    /// Whether the socket may have something to read.
    var mayRead = true
    /// Whether the client has shut down its sending side: as read, and as reported by epoll before that.
    var peerHasFinished = false
    var endIsAnnounced = false
    /// When that was reported, in nanoseconds of the shard's clock.
    private var endedSince: UInt64?
    /// Whether to probe if a client that has shut down its sending side is still there.
    var mustAskForClient = false

    var output = OutputQueue()
    /// The body of the current response, if it is a stream.
    var sending: Sending?
    /// Whether the first exchange's response is being written.
    var isAnswering = false
    /// Whether the connection stays open after the current response.
    var livesOn = true
    /// Whether the socket is not writable for now.
    var isBlocked = false

    /// Whether it waits for its next turn on the loop.
    private(set) var isYielding = false
    /// How much more input may be taken in this turn.
    var allowance = 0

    private(set) var isProcessing = false
    private var mustProcess = false
    var isFlushing = false

    /// When the current wait began, in nanoseconds of the shard's clock: for the next request, or for the client to
    /// close.
    var waitsSince: UInt64
    /// The time since which the client has accepted no byte of the waiting response.
    var stalledSince: UInt64?
    /// When the current head began to arrive.
    var headSince: UInt64?

    init(shard: Shard, socket: Int32, peer: SocketAddress) {
        self.shard = shard
        self.socket = socket
        self.peer = peer
        countedClient = shard.clients.isProxy(peer) ? nil : peer.client
        parser = RequestParser(limits: shard.limits)
        waitsSince = shard.now()
    }

    func descriptorIsReady(_ events: Readiness) {
        guard phase != .closed else { return }
        if !events.isDisjoint(with: [.failed, .hungUp]) {
            tearDown(.disconnected)
            return
        }
        if !events.isDisjoint(with: [.readable, .peerFinished]) { mayRead = true }
        if events.contains(.writable) { isBlocked = false }
        if events.contains(.peerFinished) { endIsAnnounced = true }
        process()
        // If reading is suspended, the end of the client's sending is known before it is read.
        if events.contains(.peerFinished) { sendingHasEnded() }
    }

    /// Does everything that can be done now: writes, reads, and passes on requests.
    func process() {
        mustProcess = true
        guard !isProcessing else { return }
        isProcessing = true
        allowance = Self.turn
        while mustProcess, phase != .closed {
            mustProcess = false
            if let channel, phase == .open {
                channel.takeTurn()
            } else {
                flush()
                takeInput()
            }
        }
        isProcessing = false
    }

    /// Continues after the loop's other connections have had a turn.
    func yield() {
        guard !isYielding, phase != .closed else { return }
        isYielding = true
        shard.enqueueTurn(of: self)
    }

    /// The connection's turn has come.
    func runTurn() {
        isYielding = false
        guard phase != .closed else { return }
        if shard.isStopping { closeGracefully() } else { process() }
    }

    /// The client has shut down its sending side. Either it is still reading and is owed its responses (RFC 9112
    /// §9.6), or it has closed the socket; the two look alike until the client is sent something. For a closed
    /// socket, the client's kernel then responds with a reset.
    ///
    /// A response that is being written therefore notices by itself. Before a response that has not begun, the server
    /// sends an interim response, which clients ignore (RFC 9110 §15.2); not at once, so that clients too simple for
    /// that get quick responses without one. Neither works for a response that has begun but is pausing, or for
    /// HTTP/1.0, which has no interim responses: in those cases the client counts as gone after a while.
    func sendingHasEnded() {
        guard phase == .open, channel == nil, endedSince == nil, !exchanges.isEmpty else { return }
        endedSince = shard.now()
        shard.loop.schedule(after: Self.probeDelay) { [weak self] in
            guard let self, phase == .open else { return }
            mustAskForClient = true
            process()
        }
    }

    /// How long a response may take before the server probes a client that has shut down its sending side.
    private static let probeDelay = Duration.milliseconds(10)

    /// The time since which nothing was sent that would show whether a client that has shut down its sending side is
    /// still there.
    private var unprovenSince: UInt64? {
        guard channel == nil, let endedSince, let first = exchanges.first else { return nil }
        guard isAnswering else { return first.context.minorVersion > 0 ? nil : endedSince }
        guard let sending, sending.isWaiting, !sending.stream.readsFile else { return nil }
        return max(endedSince, sending.waitsSince)
    }

    // MARK: End

    /// Everything has been passed to the kernel.
    func close() {
        guard phase == .open else { return }
        guard !peerHasFinished, shutdown(socket, Int32(SHUT_WR)) == 0 else {
            tearDown(.disconnected)
            return
        }
        phase = .lingering
        waitsSince = shard.now()
        notifyEnd(.disconnected)
        mayRead = true
        process()
    }

    /// Closes at once. With `resets`, by a reset instead of an orderly close, so that a truncated body can't pass as
    /// complete.
    func tearDown(_ end: BodyEnd, resets: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        if resets {
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        shard.loop.unwatch(socket)
        Glibc.close(socket)
        shard.remove(self)
        notifyEnd(end)
    }

    /// Tells everyone who depends on this connection that it is over.
    private func notifyEnd(_ end: BodyEnd) {
        takesRequests = false
        output = OutputQueue()
        parser.discard()
        if let sending {
            self.sending = nil
            sending.stream.ended(end)
        }
        let exchanges = self.exchanges
        self.exchanges = []
        for exchange in exchanges {
            giveBack(exchange)
            record(exchange, isComplete: false)
            exchange.response?.abandon(end)
            exchange.owner?.abandon()
        }
        if let receiving {
            self.receiving = nil
            receiving.body.end(.disconnected)
        }
        channel?.connectionEnded()
    }

    // MARK: Time

    /// Ends whatever takes too long. Called regularly, with the time since the last call.
    func sweep(now: UInt64, elapsed: Duration) {
        let configuration = shard.configuration
        func isOver(_ limit: Duration, since start: UInt64) -> Bool {
            now > start && Duration.nanoseconds(Int64(clamping: now - start)) > limit
        }
        switch phase {
        case .closed: break
        case .lingering:
            if isOver(configuration.lingerTimeout, since: waitsSince) { tearDown(.disconnected) }
        case .open where isBlocked:
            guard isOver(configuration.writeTimeout, since: stalledSince ?? now) else {
                channel?.sweep(elapsed)
                break
            }
            if let channel { channel.drop(.stalled) } else { tearDown(.aborted, resets: true) }
        case .open where channel != nil: channel?.sweep(elapsed)
        case .open where unprovenSince.map({ isOver(configuration.halfCloseTimeout, since: $0) }) ?? false:
            tearDown(.disconnected)
        case .open where receiving != nil:
            sweepBody(elapsed)
        case .open where exchanges.isEmpty:
            releaseBuffers()
            if let headSince {
                if isOver(configuration.headTimeout, since: max(headSince, waitsSince)) { refuse(.tooSlow) }
            } else if isOver(nextNumber == 0 ? configuration.headTimeout : configuration.idleTimeout, since: waitsSince)
            {
                tearDown(.disconnected)
            }
        case .open: break
        }
    }

    /// Frees the buffers of an idle connection.
    private func releaseBuffers() {
        parser.releaseBuffer()
        if output.isEmpty { output = OutputQueue() }
    }

    private func sweepBody(_ elapsed: Duration) {
        guard var receiving, canReadBody, !(index(of: receiving.number).map { exchanges[$0].awaitsContinue } ?? false)
        else { return }
        // While the server waits for a slow client, the client's unsent bytes need no buffer.
        parser.releaseBuffer()
        let configuration = shard.configuration
        let isInTime = receiving.pace.waited(
            elapsed,
            BodyPace.Limits(
                silence: configuration.bodySilence, window: configuration.bodyWindow,
                rate: configuration.minimumBodyRate))
        self.receiving = receiving
        if !isInTime { fail(.tooSlow) }
    }

    /// The server is stopping: finish pending responses, accept nothing new.
    func closeGracefully() {
        guard phase == .open else { return }
        if let channel {
            channel.closeGracefully()
            return
        }
        // Requests that have already arrived are still answered.
        mayRead = true
        process()
        guard !isYielding else { return }
        if phase == .open, exchanges.isEmpty, receiving == nil, parser.isBetweenRequests { close() }
    }
}
