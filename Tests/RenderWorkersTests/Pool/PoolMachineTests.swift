import Images
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// The pool's state machine, without processes and without real time.
@Suite struct PoolMachineTests {
    private typealias Effect = PoolMachine.Effect

    /// A machine with one permit for each weight, and the first worker ready.
    private func machine(_ change: (inout RenderPool.Configuration) -> Void = { _ in }) -> PoolMachine {
        var configuration = RenderPool.Configuration()
        configuration.permits = 1
        // Stalls have tests of their own.
        configuration.stallTimeout = .seconds(1_000)
        change(&configuration)
        var machine = PoolMachine(configuration)
        #expect(machine.settle(.zero) == [.start(1)])
        #expect(machine.ready(1, now: .zero) == [])
        return machine
    }

    private let tile = RenderJob.Work.make([.tile: .jpeg])

    @Test func `a job goes to the idle worker, and a spare is started`() {
        var machine = machine()
        let effects = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(effects == [.begin(1, 1, mayBeHeavy: false), .start(2)])
        #expect(machine.answered(1, memory: 0, now: .zero) == (true, []))
        #expect(machine.isEmpty)
    }

    @Test func `light and heavy jobs have separate permits, and a job found heavy changes queues`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        #expect(
            machine.submit(2, tile, isHeavy: true, priority: .visible, now: .zero).first
                == .begin(2, 2, mayBeHeavy: true))
        _ = machine.ready(3, now: .zero)
        // The heavy permit is taken, so the job waits and its worker is free for another.
        #expect(machine.foundHeavy(1, now: .zero) == [])
        #expect(machine.jobs[1]?.weight == .heavy)
        #expect(
            machine.submit(3, tile, isHeavy: false, priority: .visible, now: .zero).contains { effect in
                if case .begin(3, _, mayBeHeavy: false) = effect { true } else { false }
            })
        let (_, effects) = machine.answered(2, memory: 0, now: .zero)
        #expect(effects.contains { if case .begin(1, _, mayBeHeavy: true) = $0 { true } else { false } })
    }

    @Test func `a cancelled job yields its permit at once, whatever its decoder does`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        let effects = machine.cancel(1, now: .seconds(1))
        #expect(effects.first == .stop(1, 1))
        #expect(effects.contains(.begin(2, 2, mayBeHeavy: false)))
        // One spare is starting for the next abandoned job. Another starts only when that one is ready and the worker
        // with the abandoned job has ended.
        #expect(effects.count { if case .start = $0 { true } else { false } } == 1)
        #expect(machine.ready(3, now: .seconds(1)) == [])
        #expect(machine.ended(1, now: .seconds(1)).contains { if case .start = $0 { true } else { false } })
    }

    @Test func `a worker with an abandoned job is killed when its keep-alive expires`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.cancel(1, now: .zero)
        let due = machine.configuration.keepAlive
        #expect(machine.nextMoment() == due)
        #expect(machine.tick(due - .milliseconds(1)) == [])
        #expect(machine.tick(due) == [.kill(1)])
        #expect(machine.counts.kills == 1)
    }

    @Test func `the only busy worker may continue an abandoned job for longer`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.cancel(1, now: .zero).first == .stop(1, 1))
        let due = machine.configuration.keepAliveLast
        #expect(!machine.tick(due - .milliseconds(1)).contains(.kill(1)))
        var another = machine
        #expect(another.answered(1, memory: 0, now: due).endsJob == false, "the result of an abandoned job is dropped")
        #expect(another.isEmpty && another.counts.kills == 0)
        #expect(machine.tick(due).contains(.kill(1)))
    }

    @Test func `without a spare, a worker with an abandoned job is killed after the grace period`() {
        var machine = machine { $0.heavyPermits = 1 }
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        // As many workers as allowed are alive, each with an abandoned job.
        for id in 2...4 as ClosedRange<UInt64> {
            _ = machine.ready(id, now: .zero)
            _ = machine.cancel(id - 1, now: .zero)
            _ = machine.submit(id, tile, isHeavy: false, priority: .visible, now: .zero)
        }
        _ = machine.ready(4, now: .zero)
        #expect(machine.workers.count == machine.configuration.maximumWorkers)
        _ = machine.cancel(4, now: .zero)
        _ = machine.submit(5, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.unscheduled == [5])
        #expect(machine.nextMoment() == machine.configuration.grace)
        #expect(machine.tick(machine.configuration.grace) == [.kill(1)])
        #expect(machine.ended(1, now: .milliseconds(25)).contains { if case .start = $0 { true } else { false } })
    }

    @Test func `a job that misses its deadline fails, and its worker is killed`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        let due = machine.configuration.deadlines.tile
        #expect(machine.nextMoment() == due)
        #expect(!machine.tick(due - .milliseconds(1)).contains(.kill(1)))
        let effects = machine.tick(due)
        #expect(effects.contains(.kill(1)) && effects.contains(.fail(1, .tookTooLong)))
        #expect(machine.isEmpty && machine.counts.deadlines == 1)
        #expect(machine.ended(1, now: due) == [] || machine.counts.deaths == 0, "a kill does not count as a death")
    }

    @Test func `a job that waits for as long as it may run fails, and asks for no worker any more`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: true, priority: .visible, now: .zero)
        for job in 2...14 as ClosedRange<UInt64> {
            _ = machine.submit(job, tile, isHeavy: true, priority: .visible, now: .seconds(1))
        }
        let due = machine.configuration.deadlines.tile + .seconds(1)
        #expect(!machine.tick(due - .milliseconds(1)).contains { if case .fail(2..., _) = $0 { true } else { false } })
        #expect(machine.nextMoment() == due)
        let failed = machine.tick(due).filter { if case .fail(_, .waitedTooLong) = $0 { true } else { false } }
        // Job 1 has reached its own deadline, and one of the others has its worker or permit by now.
        #expect(failed.count >= 12 && machine.counts.queueTimeouts == failed.count)
    }

    @Test func `a job that runs when its wait would end may finish, but waits no second time`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.answered(1, memory: 0, now: .seconds(19))
        #expect(machine.jobs[2]?.worker != nil)
        #expect(!machine.tick(.seconds(20)).contains(.fail(2, .waitedTooLong)))
        let worker = machine.jobs[2]?.worker ?? 0
        #expect(machine.foundHeavy(worker, now: .seconds(21)).contains(.fail(2, .waitedTooLong)))
        #expect(machine.isEmpty)
    }

    @Test func `background work waits as long as it takes, until somebody waits for it`() {
        var machine = machine()
        let background = Priority(level: .background, viewport: 0, distance: 0)
        _ = machine.submit(1, .pyramid, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: background, now: .zero)
        _ = machine.submit(3, tile, isHeavy: false, priority: background, now: .zero)
        #expect(!machine.tick(.seconds(100)).contains { if case .fail = $0 { true } else { false } })
        _ = machine.reprioritise(3, to: .visible, now: .seconds(100))
        #expect(!machine.tick(.seconds(119)).contains { if case .fail = $0 { true } else { false } })
        // The pyramid has reached its deadline too.
        #expect(machine.tick(.seconds(120)).contains(.fail(3, .waitedTooLong)))
        #expect(machine.isWanted(2) && !machine.isWanted(3))
    }

    @Test func `a job starved of processor time gets extensions, up to a limit`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        var now = Duration.zero
        for _ in 0..<machine.configuration.extensions {
            now += machine.configuration.deadlines.tile
            #expect(machine.overdue(now) == [1])
            machine.extend(1)
            #expect(machine.tick(now) == [])
        }
        now += machine.configuration.deadlines.tile
        #expect(machine.overdue(now) == [])
        #expect(machine.tick(now).contains(.fail(1, .tookTooLong)))
    }

    @Test func `a job whose worker died is retried once, by a fresh worker`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.answered(1, memory: 0, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        // The spare has done nothing yet, and dies like the other.
        let (first, second): (UInt64, UInt64) = (1, 2)
        #expect(machine.jobs[2]?.worker == first)
        #expect(!machine.ended(first, now: .zero).contains { if case .fail = $0 { true } else { false } })
        #expect(machine.ready(second, now: .zero).contains(.begin(2, second, mayBeHeavy: false)))
        #expect(machine.ended(second, now: .zero).contains(.fail(2, .died(forMemory: false))))
        #expect(machine.counts.deaths == 2)
    }

    @Test func `a job whose worker died waits for a fresh worker, even if others are idle`() {
        var machine = machine { $0.permits = 2 }
        // Two workers that have already seen images.
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.answered(1, memory: 0, now: .zero)
        #expect(machine.workers[1]?.jobs == 1)
        let effects = machine.ended(2, now: .zero)
        #expect(!effects.contains(.begin(2, 1, mayBeHeavy: false)))
        #expect(machine.unscheduled == [2])
        #expect(machine.workers.values.contains { if case .starting = $0.phase { true } else { false } })
    }

    @Test func `memory refused to a fresh worker fails the job for good`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        machine.refusedMemory(1)
        #expect(machine.ended(1, now: .zero).contains(.fail(1, .died(forMemory: true))))
    }

    @Test func `a prefetch yields its permit to a visible job and runs afterwards`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .prefetch, now: .zero)
        _ = machine.ready(2, now: .zero)
        let effects = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(effects.first == .stop(1, 1) && effects.contains(.begin(2, 2, mayBeHeavy: false)))
        // The worker stopped as requested, and the job still waits.
        #expect(machine.answered(1, isStopped: true, memory: 0, now: .zero).endsJob == false)
        #expect(machine.isWanted(1))
        let (endsJob, next) = machine.answered(2, memory: 0, now: .zero)
        #expect(endsJob && next.contains { if case .begin(1, _, mayBeHeavy: false) = $0 { true } else { false } })
    }

    @Test func `a result for a job that yielded its permit still counts`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .prefetch, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.answered(1, memory: 0, now: .zero).endsJob)
        #expect(!machine.isWanted(1) && machine.isWanted(2))
    }

    @Test func `idle workers that did many jobs or hold much memory are replaced`() {
        var machine = machine {
            $0.jobsPerWorker = 2
            $0.idleMemory = 1_000
        }
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        #expect(machine.answered(1, memory: 1_001, now: .zero).effects.first == .kill(1))
        for job in 2...3 as ClosedRange<UInt64> {
            _ = machine.submit(job, tile, isHeavy: false, priority: .visible, now: .zero)
            let effects = machine.answered(2, memory: 0, now: .zero).effects
            #expect(effects.contains(.kill(2)) == (job == 3))
        }
        #expect(machine.counts.recycled == 2)
    }

    @Test func `all workers but one end when the pool is idle`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.answered(1, memory: 50, now: .zero)
        #expect(machine.nextMoment() == machine.configuration.restAfter)
        #expect(machine.tick(machine.configuration.restAfter) == [.kill(1)])
        _ = machine.ended(1, now: .seconds(11))
        #expect(machine.workers.keys.sorted() == [2] && machine.nextMoment() == nil)
    }

    @Test func `when no worker can start, jobs fail and starts back off`() {
        var configuration = RenderPool.Configuration()
        configuration.permits = 1
        var machine = PoolMachine(configuration)
        _ = machine.settle(.zero)
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        var now = Duration.zero
        var waits: [Duration] = []
        var isFailed = false
        for _ in 0..<6 {
            guard let starting = machine.workers.keys.min() else { break }
            for worker in machine.workers.keys.sorted() where worker > starting { _ = machine.ended(worker, now: now) }
            if machine.ended(starting, now: now).contains(.fail(1, .unavailable)) { isFailed = true }
            let next = machine.nextMoment() ?? now
            waits.append(next - now)
            now = next
            _ = machine.tick(now)
        }
        #expect(isFailed && machine.jobs.isEmpty)
        #expect(waits.count > 3 && zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 }, "\(waits)")
        #expect(machine.statistics.unavailability == "No render worker can be started.")
        if let worker = machine.workers.keys.min() { _ = machine.ready(worker, now: now) }
        #expect(machine.statistics.unavailability == nil)
    }
}

extension Priority {
    static let visible = Priority(level: .visible, viewport: 1, distance: 0)
    static let prefetch = Priority(level: .prefetch, viewport: 1, distance: 0)
}
