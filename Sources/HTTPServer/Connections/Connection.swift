import CLinux
import Clients
import EventLoops
import Glibc
import HTTPTypes

/// One client's connection: reads requests, hands them out, and writes the answers in the order of the requests.
///
/// `@unchecked Sendable`. Invariant: all its state belongs to the loop of its shard, and every method is called there.
final class Connection: EventHandler, @unchecked Sendable {
    enum Phase {
        case open
        /// All that will be sent has been sent; what the client still sends is thrown away, so that the kernel does
        /// not answer it with a reset that could destroy our last answer on its way (RFC 9112 §9.6).
        case lingering
        case closed
    }

    let shard: Shard
    let socket: Int32
    let peer: SocketAddress
    /// Whose it is; nil for a proxy's, which brings the requests of others.
    let countsFor: Client?
    /// Where it stands among the shard's connections.
    var position = 0

    var phase = Phase.open
    var parser: RequestParser
    /// Requests without a completely written answer, in order.
    var exchanges: [Exchange] = []
    var nextNumber: UInt64 = 0
    var receiving: Receiving?
    /// False once no further request will be taken.
    var takesRequests = true
    /// The request that asks for a WebSocket, until it is known that it gets none: what comes after it may be no HTTP.
    var heldBack: UInt64?
    /// What the connection is after its answer, for good.
    var channel: WebSocketChannel?
    /// Whether the socket may have something to read.
    var mayRead = true
    /// Whether the client has finished sending, as read, and as reported before it is read.
    var peerHasFinished = false
    var endIsAnnounced = false
    /// When that was, in nanoseconds of the shard's clock.
    private var endedSince: UInt64?
    /// Whether it is to be found out if a client that has finished sending is still there.
    var mustAskForClient = false

    var output = OutputQueue()
    /// The body of the answer in `output`, if it is a stream.
    var sending: Sending?
    /// Whether the first exchange's answer is being written.
    var isAnswering = false
    /// Whether the connection lives on after the answer that is being written.
    var livesOn = true
    /// Whether the socket takes no bytes for now.
    var isBlocked = false

    /// Whether it waits for its next turn.
    private(set) var isYielding = false
    /// What may still be taken from the input in this turn.
    var allowance = 0

    private(set) var isProcessing = false
    private var mustProcess = false
    var isFlushing = false

    /// When the present wait began, in nanoseconds of the shard's clock: for the next request, or for the client's last
    /// words.
    var waitsSince: UInt64
    /// Since when the client has taken no byte of an answer that waits to be written.
    var stalledSince: UInt64?
    /// When the present head began to arrive.
    var headSince: UInt64?

    init(shard: Shard, socket: Int32, peer: SocketAddress) {
        self.shard = shard
        self.socket = socket
        self.peer = peer
        countsFor = shard.clients.isProxy(peer) ? nil : peer.client
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
        // If reading is held back, the end of the client's sending is known before it is read.
        if events.contains(.peerFinished) { sendingHasEnded() }
    }

    /// Does all that can be done now: write, read, hand out requests.
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

    /// Goes on once the other connections of the loop have had their turn.
    func yield() {
        guard !isYielding, phase != .closed else { return }
        isYielding = true
        shard.queueTurn(of: self)
    }

    /// The turn has come.
    func goOn() {
        isYielding = false
        guard phase != .closed else { return }
        if shard.isStopping { windUp() } else { process() }
    }

    /// The client sends no more. It may still read (RFC 9112 §9.6), and is owed its answers then; or it has closed, which
    /// looks the same until it is sent something. A kernel answers bytes for a closed socket with a reset: so an answer
    /// that is being written finds out by itself, and before one that has not begun goes an interim one, which clients
    /// pass over (RFC 9110 §15.2); not at once, so that quick answers come without one to clients too simple for it. An
    /// answer that has begun and has nothing to give for now, or one in HTTP/1.0, which has no interim answers, finds
    /// out nothing: there the client counts as gone after a while.
    func sendingHasEnded() {
        guard phase == .open, channel == nil, endedSince == nil, !exchanges.isEmpty else { return }
        endedSince = shard.now()
        shard.loop.schedule(after: Self.patience) { [weak self] in
            guard let self, phase == .open else { return }
            mustAskForClient = true
            process()
        }
    }

    /// How long an answer may take before a client that has finished sending is asked for.
    private static let patience = Duration.milliseconds(10)

    /// Since when a client that has finished sending has been sent nothing by which it could be told that it is there.
    private var unprovenSince: UInt64? {
        guard channel == nil, let endedSince, let first = exchanges.first else { return nil }
        guard isAnswering else { return first.context.minorVersion > 0 ? nil : endedSince }
        guard let sending, sending.isWaiting, !(sending.stream is FileStream) else { return nil }
        return max(endedSince, sending.waitsSince)
    }

    // MARK: The end

    /// All that will be sent has been handed to the kernel.
    func close() {
        guard phase == .open else { return }
        guard !peerHasFinished, shutdown(socket, Int32(SHUT_WR)) == 0 else {
            tearDown(.disconnected)
            return
        }
        phase = .lingering
        waitsSince = shard.now()
        letGo(.disconnected)
        mayRead = true
        process()
    }

    /// Closes at once. `resets`: with a reset instead of an orderly end, so that nobody takes a cut body for whole.
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
        letGo(end)
    }

    /// Tells everybody who waits for this connection that it is over.
    private func letGo(_ end: BodyEnd) {
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
            exchange.response?.letGo(end)
            exchange.owner?.abandon()
        }
        if let receiving {
            self.receiving = nil
            receiving.body.end(.disconnected)
        }
        channel?.connectionEnded()
    }

    // MARK: Time

    /// Ends what takes too long. Called now and then; `elapsed` since the last call.
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

    /// A connection that rests keeps no memory for its next request.
    private func releaseBuffers() {
        parser.releaseBuffer()
        if output.isEmpty { output = OutputQueue() }
    }

    private func sweepBody(_ elapsed: Duration) {
        guard var receiving, canReadBody, !(index(of: receiving.number).map { exchanges[$0].awaitsContinue } ?? false)
        else { return }
        // A client that is waited for keeps no memory for what it has not sent.
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

    /// The server stops: finish what is under way, take nothing new.
    func windUp() {
        guard phase == .open else { return }
        if let channel {
            channel.windUp()
            return
        }
        // What has arrived already is still answered.
        mayRead = true
        process()
        guard !isYielding else { return }
        if phase == .open, exchanges.isEmpty, receiving == nil, parser.isBetweenRequests { close() }
    }
}
