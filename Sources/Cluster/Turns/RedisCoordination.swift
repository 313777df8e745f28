import EventLoops
import Loading
import Locking
import Origins
import Redis
import Scheduling
import Synchronization

/// Agrees with other nodes by leases in Redis: performs on the client's event loop what the book of turns says.
///
/// A lease is taken by a script, renewed by its holder, and lapses a second and a half after the last time: a node that
/// died or froze keeps its turn no longer. Whoever waits is told by publication, and looks again by itself when the
/// lease would lapse, so that a message which was lost costs that long and nothing else.
final class RedisCoordination: Coordinating, @unchecked Sendable {
    // Sendable because everything mutable but the atomics is touched on the client's loop alone.
    private let client: RedisClient
    private let keys: Keys
    /// Of this process, and of no other ever.
    let node: String
    private var book = TurnBook()
    private var hearers: [TurnBook.AskID: @Sendable (TurnNews) -> Void] = [:]
    private var timers: [TurnBook.AskID: LoopTimer] = [:]
    private var renewal: LoopTimer?
    private let lastAsk = Atomic<UInt64>(0)
    private var counts = Counts()
    private let onLook: @Sendable () -> Void
    private let onObjects: @Sendable (_ bucket: String, _ keys: [String]) -> Void
    private let onRefusal: @Sendable (OriginRefusal) -> Void

    /// What has been done so far.
    struct Counts: Hashable, Sendable {
        var turns = 0
        var waits = 0
        var lost = 0
        /// Refusals of origins that the others were told, and that they told.
        var refusalsTold = 0
        var refusalsHeard = 0
    }

    /// For how long a lease is good.
    static let lease = Duration.milliseconds(1_500)
    /// How often it is renewed.
    private static let renewalPause = Duration.milliseconds(400)
    /// How long a question may keep a load waiting.
    private static let patience = Duration.milliseconds(60)
    /// What nobody waits for may take longer.
    private static let leisure = Duration.seconds(1)
    /// For so long others hear of a failure who ask later: their own memories have it from then on.
    private static let failureLifetime = Duration.seconds(3)
    /// Leases renewed by one script.
    private static let batch = 128

    /// - Parameters:
    ///   - onLook: Another node was told to read its sources again.
    ///   - onObjects: A store has told another node of objects.
    ///   - onRefusal: Another node was refused by an origin. All three are called on the client's loop.
    init(
        client: RedisClient, keys: Keys, onLook: @escaping @Sendable () -> Void,
        onObjects: @escaping @Sendable (_ bucket: String, _ keys: [String]) -> Void = { _, _ in },
        onRefusal: @escaping @Sendable (OriginRefusal) -> Void = { _ in }
    ) {
        self.client = client
        self.keys = keys
        self.onLook = onLook
        self.onObjects = onObjects
        self.onRefusal = onRefusal
        node = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// - Parameter onHearing: Told on the client's loop whether this node hears what the others say, again after each
    ///   attempt in vain.
    func start(onHearing: @escaping @Sendable (RedisClient.State) -> Void = { _ in }) {
        client.subscribe(to: keys.channel) { [weak self] change in
            onHearing(change)
            guard let self, change == .connected else { return }
            perform(book.listens())
        } heard: { [weak self] bytes in
            guard let self, let message = TurnMessage(bytes) else { return }
            switch message {
            case .look(let other) where other != node: onLook()
            case .objects(let bucket, let keys, let other) where other != node: onObjects(bucket, keys)
            case .refused(let refusal, let other) where other != node:
                counts.refusalsHeard += 1
                onRefusal(refusal)
            default: perform(book.heard(message, node: node))
            }
        }
        client.loop.execute { [self] in renewLater() }
    }

    func stop() {
        client.loop.execute { [self] in
            renewal?.cancel()
            perform(book.isAlone())
        }
    }

    /// The server is away: whoever waits goes on alone. On the loop.
    func isAway() { perform(book.isAlone()) }

    /// Has all other nodes read their sources again.
    func tellLook() { publish("look \(node)") }

    /// Keys in one message, of some kilobytes each at most.
    private static let keysAtOnce = 64

    /// Has all other nodes look at these objects of a bucket.
    func tell(objects keys: [String], of bucket: String) {
        for start in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
            let some = keys[start..<min(start + Self.keysAtOnce, keys.count)]
            publish("objects \(node) \(bucket) \(some.joined(separator: " "))")
        }
    }

    /// Has all other nodes spare an origin that has refused this one. From any thread.
    func tell(_ refusal: OriginRefusal) {
        client.loop.execute { [self] in
            counts.refusalsTold += 1
            publish("refused \(node) \(refusal.text)")
        }
    }

    // MARK: - Coordinating

    var isAlone: Bool { !client.isConnected }

    private struct RedisTurn: Turn {
        let id: TurnBook.AskID
        let coordination: RedisCoordination

        func end(_ outcome: TurnOutcome) {
            coordination.client.loop.execute { [coordination, id] in
                coordination.perform(coordination.book.end(id, outcome))
                coordination.forget(id)
            }
        }
    }

    func ask(
        _ name: SharedName, urgency: Priority.Lane, insists: Bool, hear: @escaping @Sendable (TurnNews) -> Void
    ) -> any Turn {
        let id = lastAsk.wrappingAdd(1, ordering: .relaxed).newValue
        client.loop.execute { [self] in
            hearers[id] = hear
            perform(book.ask(id, name, urgency, insists: insists))
        }
        return RedisTurn(id: id, coordination: self)
    }

    func tell(made name: SharedName) { tell("made", name) }

    func tell(unshared name: SharedName) { tell("unshared", name) }

    private func tell(_ what: String, _ name: SharedName) {
        client.run(
            TurnScripts.tell, keys: [keys.wishes(name.subject)], arguments: words(keys.channel, name.text, what),
            within: Self.leisure
        ) { _ in }
    }

    // MARK: - On the loop

    private func perform(_ effects: [TurnBook.Effect]) {
        for effect in effects {
            switch effect {
            case .ask(let id, let name, let urgency, let insists): send(id, name, urgency, insists)
            case .tell(let id, let news): tell(id, news)
            case .wait(let id, let time):
                counts.waits += 1
                timers[id] = client.loop.schedule(after: time) { [weak self] in
                    guard let self else { return }
                    timers[id] = nil
                    perform(book.woke(id))
                }
            case .end(let id, let name, let fence, let outcome, let isLast): end(id, name, fence, outcome, isLast)
            case .withdraw(let name):
                client.run(
                    TurnScripts.withdraw, keys: [keys.wishes(name.subject)],
                    arguments: words(keys.channel, name.text, node), within: Self.leisure
                ) { _ in }
            }
        }
    }

    private func tell(_ id: TurnBook.AskID, _ news: TurnNews) {
        let hear = hearers[id]
        switch news {
        case .mine: counts.turns += 1
        case .wanted, .unwanted: break
        case .made, .failed, .alone: forget(id)
        }
        hear?(news)
    }

    private func forget(_ id: TurnBook.AskID) {
        hearers[id] = nil
        timers.removeValue(forKey: id)?.cancel()
    }

    private func send(_ id: TurnBook.AskID, _ name: SharedName, _ urgency: Priority.Lane, _ insists: Bool) {
        timers.removeValue(forKey: id)?.cancel()
        let subject = name.subject
        let lease = Self.lease.milliseconds
        client.run(
            TurnScripts.ask,
            keys: [keys.lease(subject), keys.wishes(subject), keys.fence, keys.failure(subject)],
            arguments: words(
                node, name.text, "\(lease)", keys.channel, "\(2 * lease)", insists ? "1" : "0", urgency.text),
            within: Self.patience,
            // A turn that is given after all has to be given back: nobody else would get it until it lapses.
            late: { [self] result in perform(book.replied(id, TurnBook.Reply(result))) }
        ) { [self] result in
            guard result != .failure(.timedOut) else { return perform(book.ranOut(id)) }
            perform(book.replied(id, TurnBook.Reply(result)))
        }
    }

    private func end(
        _ id: TurnBook.AskID, _ name: SharedName, _ fence: UInt64, _ outcome: TurnOutcome, _ isLast: Bool
    ) {
        let subject = name.subject
        let (word, failure): (String, LoadFailure?) =
            switch outcome {
            case .made: ("made", nil)
            case .failed(let failure): ("failed", failure)
            case .gaveUp: ("gaveUp", nil)
            }
        let hear = hearers[id]
        forget(id)
        client.run(
            TurnScripts.end, keys: [keys.lease(subject), keys.wishes(subject), keys.failure(subject)],
            arguments: words(
                node, "\(fence)", keys.channel, subject, name.text, word, isLast ? "1" : "0", failure?.text ?? "",
                "\(Self.failureLifetime.milliseconds)", "\(Self.lease.milliseconds)"),
            within: Self.leisure
        ) { [self] result in
            guard let answer = try? result.get().list else { return }
            if answer.first?.text == "late" { counts.lost += 1 }
            guard answer.first?.text == "wanted" else { return }
            for place in stride(from: 1, to: answer.count - 1, by: 2) {
                guard let name = answer[place].text.flatMap({ SharedName(text: $0) }),
                    let urgency = answer[place + 1].text.flatMap({ Priority.Lane(text: $0) })
                else { continue }
                hear?(.wanted(name, urgency: urgency))
            }
        }
    }

    private func renewLater() {
        renewal = client.loop.schedule(after: Self.renewalPause) { [weak self] in
            self?.renew()
            self?.renewLater()
        }
    }

    private func renew() {
        let now = Figures(held: book.heldCount, waiting: book.waitingCount, counts: counts)
        published.withLock { $0 = now }
        let leases = book.leases
        for start in stride(from: 0, to: leases.count, by: Self.batch) {
            let some = leases[start..<min(leases.count, start + Self.batch)]
            client.run(
                TurnScripts.renew, keys: some.map { keys.lease($0.subject) },
                arguments: words(node, "\(Self.lease.milliseconds)") + some.map { Array("\($0.fence)".utf8) },
                within: Self.leisure
            ) { _ in }
        }
    }

    private func publish(_ text: String) {
        client.send(words("PUBLISH", keys.channel, text), within: Self.leisure) { _ in }
    }

    private func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    // MARK: - Figures

    /// Turns that this node has, and loads that wait for another's, now; then what was so far: turns taken, times that
    /// another's was waited for, and turns that had passed on before their end.
    struct Figures: Hashable, Sendable {
        var held = 0
        var waiting = 0
        var counts = Counts()
    }

    private let published = Guarded(Figures())

    /// As of the last renewal. From any thread.
    var figures: Figures { published.withLock { $0 } }
}

extension TurnBook.Reply {
    fileprivate init(_ result: Result<RedisReply, RedisError>) {
        guard let words = try? result.get().list, words.count == 2 else {
            self = .nothing
            return
        }
        switch (words[0].text, words[1].text, words[1].integer) {
        case ("mine", let fence?, _): self = UInt64(fence).map { .mine(fence: $0) } ?? .nothing
        // A lease that lapses never, or much later than ours do, is none of ours; it is looked at again all the same.
        case ("held", _, let time?):
            let lease = RedisCoordination.lease
            self = .held(for: (0...lease.milliseconds).contains(Int64(time)) ? .milliseconds(time) : lease)
        case ("failed", let text?, _): self = LoadFailure(text: text).map { .failed($0) } ?? .nothing
        default: self = .nothing
        }
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
