import EventLoops
import Loading
import Locking
import Origins
import Redis
import Scheduling
import Synchronization
import Time

/// Coordinates nodes by leases in Redis, performing the effects of ``LeaseTable`` on the client's event loop.
///
/// A script takes a lease, and its holder renews it; 1.5 s after the last renewal it expires, so a node that died or
/// froze loses its leases. Waiting nodes are notified by publication, and ask again when the lease would expire, so a
/// lost message costs no more than that.
final class RedisCoordination: Coordinating, @unchecked Sendable {
    // Sendable because all mutable state except the atomics is touched only on the client's loop.
    private let client: RedisClient
    private let keys: RedisKeys
    /// Unique to this process.
    let node: String
    private var table = LeaseTable()
    private var listeners: [LeaseTable.RequestID: @Sendable (LeaseEvent) -> Void] = [:]
    private var timers: [LeaseTable.RequestID: LoopTimer] = [:]
    private var renewal: LoopTimer?
    private let lastRequest = Atomic<UInt64>(0)
    private var counts = Counts()
    private let onRescan: @Sendable () -> Void
    private let onObjects: @Sendable (_ bucket: String, _ keys: [String]) -> Void
    private let onRefusal: @Sendable (OriginRefusal) -> Void

    /// Counters since the start.
    struct Counts: Hashable, Sendable {
        var granted = 0
        var waits = 0
        var lost = 0
        /// Origins' refusals published to the other nodes, and received from them.
        var refusalsSent = 0
        var refusalsReceived = 0
    }

    /// A lease's lifetime since its last renewal.
    static let lease = Duration.milliseconds(1_500)
    /// The interval between renewals.
    private static let renewalInterval = Duration.milliseconds(400)
    /// How long a load may wait for a reply.
    private static let replyTimeout = Duration.milliseconds(60)
    /// The timeout of commands that nobody waits for.
    private static let relaxedTimeout = Duration.seconds(1)
    /// How long Redis remembers a failure for nodes that ask later. By then, their own negative caches have it.
    private static let failureLifetime = Duration.seconds(3)
    /// Leases renewed by one script call.
    private static let batch = 128

    /// - Parameters:
    ///   - onRescan: Another node was told to rescan its sources.
    ///   - onObjects: A bucket notified another node of changed objects.
    ///   - onRefusal: An origin refused another node. All three are called on the client's loop.
    init(
        client: RedisClient, keys: RedisKeys, onRescan: @escaping @Sendable () -> Void,
        onObjects: @escaping @Sendable (_ bucket: String, _ keys: [String]) -> Void = { _, _ in },
        onRefusal: @escaping @Sendable (OriginRefusal) -> Void = { _ in }
    ) {
        self.client = client
        self.keys = keys
        self.onRescan = onRescan
        self.onObjects = onObjects
        self.onRefusal = onRefusal
        node = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// - Parameter onSubscriptionChange: Called on the client's loop with the state of the subscription, also after
    ///   each failed attempt.
    func start(onSubscriptionChange: @escaping @Sendable (RedisClient.State) -> Void = { _ in }) {
        client.subscribe(to: keys.channel) { [weak self] change in
            onSubscriptionChange(change)
            guard let self, change == .connected else { return }
            perform(table.subscribed())
        } received: { [weak self] bytes in
            guard let self, let message = LeaseMessage(bytes) else { return }
            switch message {
            case .rescan(let other) where other != node: onRescan()
            case .objects(let bucket, let keys, let other) where other != node: onObjects(bucket, keys)
            case .refused(let refusal, let other) where other != node:
                counts.refusalsReceived += 1
                onRefusal(refusal)
            default: perform(table.received(message, node: node))
            }
        }
        client.loop.execute { [self] in renewLater() }
    }

    func stop() {
        client.loop.execute { [self] in
            renewal?.cancel()
            perform(table.disconnected())
        }
    }

    /// Redis is away: pending loads proceed without it. On the loop.
    func disconnected() { perform(table.disconnected()) }

    /// Tells all other nodes to rescan their sources.
    func announceRescan() { publish("look \(node)") }

    /// Keys per message; each is at most a few kilobytes long.
    private static let keysAtOnce = 64

    /// Tells all other nodes to look at these objects of a bucket.
    func announce(objects keys: [String], of bucket: String) {
        for start in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
            let some = keys[start..<min(start + Self.keysAtOnce, keys.count)]
            publish("objects \(node) \(bucket) \(some.joined(separator: " "))")
        }
    }

    /// Tells all other nodes to back off from an origin that refused this one. Callable from any thread.
    func announce(_ refusal: OriginRefusal) {
        client.loop.execute { [self] in
            counts.refusalsSent += 1
            publish("refused \(node) \(refusal.text)")
        }
    }

    // MARK: - Coordinating

    var isSingleNode: Bool { !client.isConnected }

    private struct RedisLease: Lease {
        let id: LeaseTable.RequestID
        let coordination: RedisCoordination

        func end(_ outcome: LeaseOutcome) {
            coordination.client.loop.execute { [coordination, id] in
                coordination.perform(coordination.table.end(id, outcome))
                coordination.forget(id)
            }
        }
    }

    func ask(
        _ name: SharedName, level: Priority.Level, bypassesNegativeCache: Bool,
        onEvent: @escaping @Sendable (LeaseEvent) -> Void
    ) -> any Lease {
        let id = lastRequest.wrappingAdd(1, ordering: .relaxed).newValue
        client.loop.execute { [self] in
            listeners[id] = onEvent
            perform(table.ask(id, name, level, bypassesNegativeCache: bypassesNegativeCache))
        }
        return RedisLease(id: id, coordination: self)
    }

    func announce(made name: SharedName) { announce("made", name) }

    func announce(unshared name: SharedName) { announce("unshared", name) }

    private func announce(_ what: String, _ name: SharedName) {
        client.run(
            LeaseScripts.announce, keys: [keys.requests(name.subject)], arguments: words(keys.channel, name.text, what),
            within: Self.relaxedTimeout
        ) { _ in }
    }

    // MARK: - On the loop

    private func perform(_ effects: [LeaseTable.Effect]) {
        for effect in effects {
            switch effect {
            case .ask(let id, let name, let level, let bypassesNegativeCache):
                send(id, name, level, bypassesNegativeCache)
            case .notify(let id, let event): notify(id, event)
            case .wait(let id, let time):
                counts.waits += 1
                timers[id] = client.loop.schedule(after: time) { [weak self] in
                    guard let self else { return }
                    timers[id] = nil
                    perform(table.timerFired(id))
                }
            case .end(let id, let name, let fence, let outcome, let isLast): end(id, name, fence, outcome, isLast)
            case .withdraw(let name):
                client.run(
                    LeaseScripts.withdraw, keys: [keys.requests(name.subject)],
                    arguments: words(keys.channel, name.text, node), within: Self.relaxedTimeout
                ) { _ in }
            }
        }
    }

    private func notify(_ id: LeaseTable.RequestID, _ event: LeaseEvent) {
        let onEvent = listeners[id]
        switch event {
        case .granted: counts.granted += 1
        case .requested, .requestWithdrawn: break
        case .made, .failed, .alone: forget(id)
        }
        onEvent?(event)
    }

    private func forget(_ id: LeaseTable.RequestID) {
        listeners[id] = nil
        timers.removeValue(forKey: id)?.cancel()
    }

    private func send(
        _ id: LeaseTable.RequestID, _ name: SharedName, _ level: Priority.Level, _ bypassesNegativeCache: Bool
    ) {
        timers.removeValue(forKey: id)?.cancel()
        let subject = name.subject
        let lease = Self.lease.milliseconds
        client.run(
            LeaseScripts.ask,
            keys: [keys.lease(subject), keys.requests(subject), keys.fence, keys.failure(subject)],
            arguments: words(
                node, name.text, "\(lease)", keys.channel, "\(2 * lease)", bypassesNegativeCache ? "1" : "0", level.text
            ),
            within: Self.replyTimeout,
            // A lease granted after the timeout must be returned, or nobody else could take it until it expires.
            late: { [self] result in perform(table.replied(id, LeaseTable.Reply(result))) }
        ) { [self] result in
            guard result != .failure(.timedOut) else { return perform(table.timedOut(id)) }
            perform(table.replied(id, LeaseTable.Reply(result)))
        }
    }

    private func end(
        _ id: LeaseTable.RequestID, _ name: SharedName, _ fence: UInt64, _ outcome: LeaseOutcome, _ isLast: Bool
    ) {
        let subject = name.subject
        let (word, failure): (String, LoadFailure?) =
            switch outcome {
            case .made: ("made", nil)
            case .failed(let failure): ("failed", failure)
            case .abandoned: ("gaveUp", nil)
            }
        let onEvent = listeners[id]
        forget(id)
        client.run(
            LeaseScripts.end, keys: [keys.lease(subject), keys.requests(subject), keys.failure(subject)],
            arguments: words(
                node, "\(fence)", keys.channel, subject, name.text, word, isLast ? "1" : "0", failure?.text ?? "",
                "\(Self.failureLifetime.milliseconds)", "\(Self.lease.milliseconds)"),
            within: Self.relaxedTimeout
        ) { [self] result in
            guard let answer = try? result.get().list else { return }
            if answer.first?.text == "late" { counts.lost += 1 }
            guard answer.first?.text == "wanted" else { return }
            for place in stride(from: 1, to: answer.count - 1, by: 2) {
                guard let name = answer[place].text.flatMap({ SharedName(text: $0) }),
                    let level = answer[place + 1].text.flatMap({ Priority.Level(text: $0) })
                else { continue }
                onEvent?(.requested(name, level: level))
            }
        }
    }

    private func renewLater() {
        renewal = client.loop.schedule(after: Self.renewalInterval) { [weak self] in
            self?.renew()
            self?.renewLater()
        }
    }

    private func renew() {
        let now = Statistics(held: table.heldCount, waiting: table.waitingCount, counts: counts)
        published.withLock { $0 = now }
        let leases = table.leases
        for start in stride(from: 0, to: leases.count, by: Self.batch) {
            let some = leases[start..<min(leases.count, start + Self.batch)]
            client.run(
                LeaseScripts.renew, keys: some.map { keys.lease($0.subject) },
                arguments: words(node, "\(Self.lease.milliseconds)") + some.map { Array("\($0.fence)".utf8) },
                within: Self.relaxedTimeout
            ) { _ in }
        }
    }

    private func publish(_ text: String) {
        client.send(words("PUBLISH", keys.channel, text), within: Self.relaxedTimeout) { _ in }
    }

    private func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    // MARK: - Figures

    /// Leases held and loads waiting for another node's lease, now; then counters: leases taken, waits, and leases
    /// lost before their loads ended.
    struct Statistics: Hashable, Sendable {
        var held = 0
        var waiting = 0
        var counts = Counts()
    }

    private let published = Guarded(Statistics())

    /// Updated at each renewal. Callable from any thread.
    var figures: Statistics { published.withLock { $0 } }
}

extension LeaseTable.Reply {
    fileprivate init(_ result: Result<RedisReply, RedisError>) {
        guard let words = try? result.get().list, words.count == 2 else {
            self = .nothing
            return
        }
        switch (words[0].text, words[1].text, words[1].integer) {
        case ("mine", let fence?, _): self = UInt64(fence).map { .granted(fence: $0) } ?? .nothing
        // A lease that never expires, or lives much longer than ours do, was not written by a node. Ask again all the
        // same.
        case ("held", _, let time?):
            let lease = RedisCoordination.lease
            self = .held(for: (0...lease.milliseconds).contains(Int(time)) ? .milliseconds(time) : lease)
        case ("failed", let text?, _): self = LoadFailure(text: text).map { .failed($0) } ?? .nothing
        default: self = .nothing
        }
    }
}
