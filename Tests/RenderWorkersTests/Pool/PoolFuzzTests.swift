import Images
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import RenderWorkers

/// The pool under random schedules of jobs, cancels, answers, deaths and time. A model plays the workers and checks
/// every effect.
@Suite(.unsanitized) struct PoolFuzzTests {
    @Test(arguments: 0..<4) func `in random schedules every job ends once, and no worker has two jobs`(part: Int) {
        for schedule in 0..<800 {
            var world = PoolWorld(seed: UInt64(part * 1_000_000 + schedule))
            world.run()
            if let complaint = world.complaint {
                Issue.record("schedule \(part * 1_000_000 + schedule): \(complaint)")
                return
            }
        }
    }
}

private struct PoolWorld {
    private enum Worker {
        case starting
        case idle
        case working(UInt64, mayBeHeavy: Bool, isStopped: Bool)
        case killed
    }

    private var random: SeededRandom
    private var machine: PoolMachine
    private var workers: [UInt64: Worker] = [:]
    private var live: Set<UInt64> = []
    /// Jobs that have given up their permit because their worker stalled.
    private var parked: Set<UInt64> = []
    private var ends: [UInt64: Int] = [:]
    private var jobs: UInt64 = 0
    private var now = Duration.zero
    private(set) var complaint: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var configuration = RenderPool.Configuration()
        configuration.permits = 2
        configuration.jobsPerWorker = 5
        machine = PoolMachine(configuration)
    }

    mutating func run() {
        perform(machine.settle(now))
        for _ in 0..<Int.random(in: 10..<80, using: &random) where complaint == nil { step() }
        // All remaining jobs come to an end if only time passes.
        for _ in 0..<400 where complaint == nil && !live.isEmpty { pass(isPatient: true) }
        if complaint == nil, !live.isEmpty { complain("jobs \(live.sorted()) never end") }
        if complaint == nil, !machine.isEmpty { complain("the machine is not empty") }
        for (job, count) in ends where count != 1 { complain("job \(job) ended \(count) times") }
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    private mutating func step() {
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2:
            jobs += 1
            live.insert(jobs)
            perform(
                machine.submit(
                    jobs, .make([.tile: .webp]), in: .random(in: 0..<3, using: &random),
                    isHeavy: Int.random(in: 0..<4, using: &random) == 0, priority: anyPriority(), now: now))
        case 3:
            guard let job = live.sorted().randomElement(using: &random) else { return }
            live.remove(job)
            perform(machine.cancel(job, now: now))
            if machine.isWanted(job) { complain("a cancelled job is still wanted") }
        case 4:
            guard let job = live.sorted().randomElement(using: &random) else { return }
            perform(machine.reprioritise(job, to: anyPriority(), now: now))
        default: pass(isPatient: false)
        }
    }

    private mutating func anyPriority() -> Priority {
        Priority(
            level: Bool.random(using: &random) ? .visible : .prefetch, viewport: .random(in: 0..<3, using: &random),
            distance: .random(in: 0..<3, using: &random))
    }

    /// An event of a worker, or the passage of time.
    private mutating func pass(isPatient: Bool) {
        let actors = workers.keys.sorted()
        if let id = actors.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 {
            return act(id, isPatient: isPatient)
        }
        guard let next = machine.nextMoment() else { return }
        if next <= now, machine.workersToCheck(now).isEmpty { complain("time stands still") }
        now = max(now, isPatient || Bool.random(using: &random) ? next : now + .milliseconds(1))
        for id in machine.workersToCheck(now) {
            let hasAdvanced = Bool.random(using: &random)
            if !hasAdvanced, case .working(let job, _, false) = workers[id] { parked.insert(job) }
            let isUninterruptible = Bool.random(using: &random)
            machine.recordCheck(of: id, hasAdvanced: hasAdvanced, isUninterruptible: isUninterruptible, now: now)
        }
        perform(machine.tick(now))
    }

    private mutating func act(_ id: UInt64, isPatient: Bool) {
        let luck = Int.random(in: 0..<10, using: &random)
        switch workers[id] {
        case .starting:
            if luck == 0, !isPatient { return end(id) }
            workers[id] = .idle
            perform(machine.ready(id, now: now))
        case .idle: if luck == 0, !isPatient { end(id) }
        // It may hang in a read.
        case .killed: if luck > 1 || isPatient { end(id) }
        case .working(let job, let mayBeHeavy, let isStopped):
            switch luck {
            case 0:
                if Bool.random(using: &random) { machine.refusedMemory(id) }
                end(id)
            case 1 where !mayBeHeavy:
                workers[id] = .idle
                perform(machine.foundHeavy(id, now: now))
            case 2 where !isPatient: break  // It takes its time.
            default:
                workers[id] = .idle
                let (endsJob, effects) = machine.answered(
                    id, isStopped: isStopped && luck > 5, memory: 0, now: now)
                if endsJob { finish(job) }
                perform(effects)
            }
        case nil: break
        }
    }

    private mutating func end(_ id: UInt64) {
        workers[id] = nil
        perform(machine.ended(id, now: now))
    }

    private mutating func finish(_ job: UInt64) {
        if live.remove(job) == nil { complain("job \(job) ended though it is not live") }
        ends[job, default: 0] += 1
    }

    private mutating func perform(_ effects: [PoolMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .start(let id):
                if workers.updateValue(.starting, forKey: id) != nil { complain("worker \(id) was started twice") }
                let most = machine.configuration.maximumWorkers + machine.configuration.maximumStalledWorkers
                if workers.count > most || machine.livingCount > machine.configuration.maximumWorkers {
                    complain("too many workers")
                }
            case .begin(let job, let id, let mayBeHeavy):
                guard case .idle = workers[id] else { return complain("worker \(id) is not idle") }
                if !live.contains(job) { complain("a job that is not live was started") }
                parked.remove(job)
                workers[id] = .working(job, mayBeHeavy: mayBeHeavy, isStopped: false)
            case .stop(let job, let id):
                if case .working(job, let mayBeHeavy, _) = workers[id] {
                    workers[id] = .working(job, mayBeHeavy: mayBeHeavy, isStopped: true)
                } else {
                    complain("a job that is not running was stopped")
                }
            case .kill(let id):
                if workers[id] == nil { complain("a worker that does not exist was killed") }
                workers[id] = .killed
            case .fail(let job, _): finish(job)
            }
        }
        // Workers told to stop have lost their permit.
        let heavy = workers.values.count {
            if case .working(let job, true, isStopped: false) = $0 {
                live.contains(job) && !parked.contains(job)
            } else {
                false
            }
        }
        if heavy > machine.configuration.heavyPermits { complain("\(heavy) heavy jobs at once") }
    }
}
