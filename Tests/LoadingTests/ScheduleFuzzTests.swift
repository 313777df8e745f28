import Glibc
import Images
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Loading

/// The load machine and the token table under random schedules of issue, join, cancel, cancel-first, claim, fail,
/// finish, grow and disconnect. A model plays all work and checks every effect.
@Suite(.unsanitized) struct ScheduleFuzzTests {
    /// `TESSERA_SCHEDULES=100000` runs that many; the default keeps the suite quick in a debug build.
    private static let count = getenv("TESSERA_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 10_000

    @Test(arguments: 0..<4) func `under random schedules every token ends once and nothing is left`(part: Int) {
        let tokens = (0..<32).map { _ in Token(of: NodeTag()) }
        let sessions = [SessionID(of: NodeTag()), SessionID(of: NodeTag())]
        for schedule in 0..<Self.count / 4 {
            let seed = UInt64(part * 1_000_000 + schedule)
            var world = ScheduleWorld(seed: seed, tokens: tokens, sessions: sessions)
            world.run()
            if let complaint = world.complaint {
                Issue.record("schedule \(seed): \(complaint)")
                return
            }
        }
    }
}

/// One schedule: plays the lanes, the origins and the clients around the two state machines.
private struct ScheduleWorld {
    private static let renditions: [Rendition] = [.preview, .tile, .screen, .original]

    private var random: SeededRandom
    private let tokens: [Token]
    private let sessions: [SessionID]
    private var machine = LoadMachine<UInt64>()
    private var table = TokenTable(
        limits: .init(sessions: 4, sessionsPerClient: 3, liveTokensPerSession: 5, endedTokensPerSession: 100))
    private var issued = 0
    /// The jobs running on the lanes, and the fetches in flight.
    private var finding: Set<UInt64> = []
    private var sharing: Set<UInt64> = []
    private var preparing: Set<UInt64> = []
    private var rendering: Set<UInt64> = []
    /// Jobs that have tried a partial decode.
    private var partiallyDecoded: Set<UInt64> = []
    private var fetching: [UInt64: ImageID] = [:]
    /// All jobs that were ever started.
    private var jobs: Set<UInt64> = []
    private var growing: Set<UInt64> = []
    /// Waiters (positions of tokens) that have a reader and have not closed it.
    private var reading: Set<UInt64> = []
    private var answers: [UInt64: Int] = [:]
    private var left: Set<UInt64> = []
    private var now = Duration.zero
    private(set) var complaint: String?

    init(seed: UInt64, tokens: [Token], sessions: [SessionID]) {
        random = SeededRandom(seed: seed)
        self.tokens = tokens
        self.sessions = sessions
    }

    mutating func run() {
        for _ in 0..<Int.random(in: 4..<24, using: &random) where complaint == nil { step() }
        // All work in flight comes to its end.
        for _ in 0..<200 where complaint == nil && !isIdle { work() }
        for waiter in reading.sorted() { leave(waiter) }
        guard complaint == nil else { return }
        if !isIdle { complain("work never ends") }
        if !machine.isEmpty { complain("the machine is not empty") }
        for waiter in 0..<UInt64(issued) {
            let life = table.record(of: tokens[Int(waiter)])?.life
            let count = answers[waiter, default: 0]
            if count > 1 { complain("waiter \(waiter) was answered \(count) times") }
            if count == 0, !left.contains(waiter) { complain("waiter \(waiter) waits forever") }
            if life?.isLive == true { finish(waiter, .delivered) }
        }
        let counts = table.statistics
        if counts.live != 0 || counts.issued != counts.delivered + counts.cancelled + counts.failed {
            complain("the counts of ended tokens do not add up: \(counts)")
        }
        if counts.issued != issued { complain("a token was lost") }
        for session in sessions { _ = table.close(session) }
        if !table.isEmpty { complain("the table is not empty") }
    }

    private var isIdle: Bool {
        finding.isEmpty && sharing.isEmpty && preparing.isEmpty && rendering.isEmpty && fetching.isEmpty
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    private mutating func step() {
        now += .seconds(1)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: issue()
        case 4: cancel()
        case 5:
            // Cancel-first, and cancels of unknown tokens: no error, no effect.
            let token = tokens.randomElement(using: &random)!
            if table.record(of: token) == nil, table.cancel(token, in: sessions[0], now: now) {
                complain("an unknown token was cancelled")
            }
            perform(machine.leave(UInt64.random(in: 1_000..<2_000, using: &random)))
        case 6 where issued > 0:
            perform(machine.reprioritise(UInt64.random(in: 0..<UInt64(issued), using: &random), to: anyPriority()))
        case 7 where Int.random(in: 0..<4, using: &random) == 0: disconnect()
        default: work()
        }
    }

    // MARK: - Clients

    private mutating func anyPriority() -> Priority {
        Priority(
            level: Bool.random(using: &random) ? .visible : .prefetch, viewport: .random(in: 0..<3, using: &random),
            distance: .random(in: 0..<3, using: &random))
    }

    private mutating func issue() {
        guard issued < tokens.count else { return }
        let image = ImageID(rawValue: .random(in: 0..<3, using: &random))
        let isRemote = image.rawValue != 0
        let rendition = Self.renditions.randomElement(using: &random)!
        let request = LoadRequest(
            image: GalleryImage(
                id: image, name: "", location: isRemote ? .remote(url: "") : .file(folder: 0, path: ""),
                version: nil, metadata: ImageMetadata()),
            rendition: rendition, format: .webp)
        let session = sessions.randomElement(using: &random)!
        let waiter = UInt64(issued)
        issued += 1
        let slot = Int.random(in: 0..<4, using: &random)
        let before = table.open(session, of: session == sessions[0] ? .other : .one, now: now)
        let cancelled =
            before
            + table.issue(
                tokens[Int(waiter)], in: session, slot: slot, image: request.image.id, request: request)
        if table.current(of: slot, in: session) != tokens[Int(waiter)] { complain("the slot has another token") }
        let key = LoadMachine<UInt64>.Key(image: image, version: nil, rendition: rendition, format: .webp)
        perform(machine.join(waiter, key: key, priority: anyPriority()))
        leave(cancelled)
    }

    private mutating func cancel() {
        guard issued > 0 else { return }
        let waiter = UInt64.random(in: 0..<UInt64(issued), using: &random)
        let token = tokens[Int(waiter)]
        let wasLive = table.record(of: token)?.life.isLive == true
        guard let session = table.record(of: token)?.session else { return }
        if table.cancel(token, in: session, now: now) != wasLive { complain("a cancel was lost") }
        if table.cancel(token, in: session, now: now) { complain("a token was cancelled twice") }
        if table.claim(token, image: ImageID(rawValue: 9), rendition: .tile, now: now) != .refused(.otherPicture) {
            complain("a token served another picture")
        }
        if wasLive { leave(waiter) }
    }

    private mutating func disconnect() { leave(table.close(sessions.randomElement(using: &random)!)) }

    private mutating func leave(_ cancelled: [Token]) {
        for token in cancelled { leave(UInt64(tokens.firstIndex(of: token)!)) }
    }

    private mutating func leave(_ waiter: UInt64) {
        left.insert(waiter)
        reading.remove(waiter)
        perform(machine.leave(waiter))
        checkForUnwantedFetches()
    }

    /// Checks that fetches without waiting jobs have been stopped.
    private mutating func checkForUnwantedFetches() {
        var wanted: Set<UInt64> = []
        for job in jobs {
            switch machine.stage(of: job) {
            case .fetching(let fetch), .streaming(let fetch): wanted.insert(fetch)
            default: break
            }
        }
        if !Set(fetching.keys).isSubset(of: wanted) { complain("a fetch continues without waiting jobs") }
    }

    private mutating func end(_ job: UInt64, _ end: TokenEnd) {
        let (waiters, effects) = machine.finish(job)
        perform(effects)
        answer(waiters, end)
        checkForUnwantedFetches()
    }

    private mutating func answer(_ waiters: [UInt64], _ end: TokenEnd) {
        for waiter in waiters {
            if left.contains(waiter) { complain("a cancelled waiter was answered") }
            // Waiters with a reader already have their answer.
            if reading.contains(waiter) { continue }
            answers[waiter, default: 0] += 1
            finish(waiter, end)
        }
    }

    private mutating func finish(_ waiter: UInt64, _ end: TokenEnd) {
        let token = tokens[Int(waiter)]
        if end == .delivered { _ = table.send(token) }
        _ = table.end(token, end)
        if table.end(token, .cancelled) { complain("a token ended twice") }
    }

    // MARK: - Work

    private mutating func work() {
        let busy = [!finding.isEmpty, !fetching.isEmpty, !preparing.isEmpty, !rendering.isEmpty, !sharing.isEmpty]
        switch busy.indices.filter({ busy[$0] }).randomElement(using: &random) {
        case 0:
            guard let job = finding.randomElement(using: &random) else { return }
            finding.remove(job)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: end(job, .delivered)
            case 1: perform(machine.prepare(job))
            case 2...3: perform(machine.share(job))
            default: proceed(job)
            }
        case 1:
            guard let fetch = fetching.keys.sorted().randomElement(using: &random) else { return }
            // One of the jobs waiting for it may end first.
            if Int.random(in: 0..<6, using: &random) == 0,
                let job = jobs.sorted().filter({ machine.stage(of: $0) == .fetching(fetch) }).first
            {
                return end(job, .failed)
            }
            if Int.random(in: 0..<4, using: &random) == 0 { return perform(machine.prefixArrived(fetch)) }
            if let job = partiallyDecoded.sorted().first(where: { machine.stage(of: $0) == .fetching(fetch) }) {
                return end(job, .delivered)
            }
            if growing.insert(fetch).inserted, Bool.random(using: &random) {
                return perform(machine.originalIsReadable(fetch))
            }
            fetching[fetch] = nil
            growing.remove(fetch)
            let hasFailed = Int.random(in: 0..<3, using: &random) == 0
            let (jobs, effects) = machine.originalEnded(fetch)
            perform(effects)
            for job in jobs {
                if hasFailed { end(job, .failed) } else { perform(machine.prepare(job)) }
            }
        case 2:
            guard let job = preparing.randomElement(using: &random) else { return }
            preparing.remove(job)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: end(job, .failed)
            case 1 where machine.key(of: job)?.image.rawValue != 0: perform(machine.needOriginal(job))
            case 2: end(job, .delivered)
            default: perform(machine.render(job))
            }
        case 3:
            guard let job = rendering.randomElement(using: &random) else { return }
            rendering.remove(job)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: end(job, .failed)
            case 1: perform(machine.prepare(job))
            default: end(job, .delivered)
            }
        case 4:
            guard let job = sharing.randomElement(using: &random) else { return }
            sharing.remove(job)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: end(job, .delivered)
            case 1: end(job, .failed)
            default: proceed(job)
            }
        default: break
        }
    }

    /// Continues without content from other nodes.
    private mutating func proceed(_ job: UInt64) {
        let isLocal = machine.key(of: job)?.image.rawValue == 0
        perform(isLocal ? machine.prepare(job) : machine.needOriginal(job))
    }

    private mutating func perform(_ effects: [LoadMachine<UInt64>.Effect]) {
        for effect in effects {
            switch effect {
            case .find(let job, _):
                jobs.insert(job)
                if !finding.insert(job).inserted { complain("looked up twice") }
            case .share(let job, _): if !sharing.insert(job).inserted { complain("shared twice") }
            case .prepare(let job, _): if !preparing.insert(job).inserted { complain("prepared twice") }
            case .render(let job, _): if !rendering.insert(job).inserted { complain("rendered twice") }
            case .fetch(let fetch, let job, _):
                guard let image = machine.key(of: job)?.image else { return complain("a fetch without a job") }
                if fetching.values.contains(image) { complain("one image is fetched twice at once") }
                fetching[fetch] = image
            case .abandonFetch(let fetch):
                if fetching.removeValue(forKey: fetch) == nil { complain("an unknown fetch was abandoned") }
                growing.remove(fetch)
            case .abandon(let job, let stage):
                switch stage {
                case .finding: if finding.remove(job) == nil { complain("abandoned a lookup that is not running") }
                case .sharing: if sharing.remove(job) == nil { complain("abandoned sharing that is not running") }
                case .preparing: if preparing.remove(job) == nil { complain("abandoned preparing that is not running") }
                case .rendering: if rendering.remove(job) == nil { complain("abandoned a render that is not running") }
                case .fetching, .streaming: break
                }
            case .partialDecode(let job, let fetch, _):
                if machine.stage(of: job) != .fetching(fetch) { complain("a partial decode without a fetch") }
                if machine.key(of: job)?.rendition != .preview { complain("a partial decode for more than a preview") }
                partiallyDecoded.insert(job)
            case .stream(let waiter, let fetch):
                if left.contains(waiter) { complain("a cancelled waiter was given a reader") }
                if fetching[fetch] == nil { complain("a reader without a fetch") }
                answers[waiter, default: 0] += 1
                reading.insert(waiter)
                _ = table.send(tokens[Int(waiter)])
            case .reprioritise(let job, let stage, let priority):
                if machine.stage(of: job) != stage { complain("a finished stage was re-prioritised") }
                if priority.viewport > 3 { complain("an unknown priority") }
            case .reprioritiseFetch(let fetch, _):
                if fetching[fetch] == nil { complain("a finished fetch was re-prioritised") }
            case .release(let job):
                if machine.stage(of: job) != nil { complain("a running job was released") }
            }
        }
    }
}
