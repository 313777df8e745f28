import Images
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// The pool without processes and without time: what follows from what.
@Suite struct PoolMachineTests {
    private typealias Effect = PoolMachine.Effect

    /// A machine with one place for each weight, and the first worker ready.
    private func machine(_ change: (inout RenderPool.Configuration) -> Void = { _ in }) -> PoolMachine {
        var configuration = RenderPool.Configuration()
        configuration.places = 1
        change(&configuration)
        var machine = PoolMachine(configuration)
        #expect(machine.settle(.zero) == [.start(1)])
        #expect(machine.ready(1, now: .zero) == [])
        return machine
    }

    private let tile = RenderJob.Work.make([.tile: .jpeg])

    @Test func `a job goes to the worker that rests, and a spare is started beside it`() {
        var machine = machine()
        let effects = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(effects == [.begin(1, 1, mayBeHeavy: false), .start(2)])
        #expect(machine.answered(1, memory: 0, now: .zero) == (true, []))
        #expect(machine.isEmpty)
    }

    @Test func `light and heavy jobs have places apart, and what is found heavy goes to the other line`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        #expect(
            machine.submit(2, tile, isHeavy: true, priority: .visible, now: .zero).first
                == .begin(2, 2, mayBeHeavy: true))
        _ = machine.ready(3, now: .zero)
        // The heavy place is taken: it waits, and its worker is free for another.
        #expect(machine.foundHeavy(1, now: .zero) == [])
        #expect(machine.jobs[1]?.weight == .heavy)
        #expect(
            machine.submit(3, tile, isHeavy: false, priority: .visible, now: .zero).contains { effect in
                if case .begin(3, _, mayBeHeavy: false) = effect { true } else { false }
            })
        let (_, effects) = machine.answered(2, memory: 0, now: .zero)
        #expect(effects.contains { if case .begin(1, _, mayBeHeavy: true) = $0 { true } else { false } })
    }

    @Test func `a job that is given up lets another have its place at once, whatever its decoder does`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        let effects = machine.cancel(1, now: .seconds(1))
        #expect(effects.first == .stop(1, 1))
        #expect(effects.contains(.begin(2, 2, mayBeHeavy: false)))
        // A spare is on its way, for the next who is given up; another when it is there and the one who was left is not.
        #expect(effects.count { if case .start = $0 { true } else { false } } == 1)
        #expect(machine.ready(3, now: .seconds(1)) == [])
        #expect(machine.ended(1, now: .seconds(1)).contains { if case .start = $0 { true } else { false } })
    }

    @Test func `who is left with a job may finish it for as long as a successor would cost, then is ended`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.cancel(1, now: .zero)
        let due = machine.configuration.lingering
        #expect(machine.nextMoment() == due)
        #expect(machine.tick(due - .milliseconds(1)) == [])
        #expect(machine.tick(due) == [.kill(1)])
        #expect(machine.counts.kills == 1)
    }

    @Test func `who is left with a job goes on for longer while nobody else is at work`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.cancel(1, now: .zero).first == .stop(1, 1))
        let due = machine.configuration.lingeringAlone
        #expect(!machine.tick(due - .milliseconds(1)).contains(.kill(1)))
        var another = machine
        #expect(another.answered(1, memory: 0, now: due).endsJob == false, "what it makes is told to nobody")
        #expect(another.isEmpty && another.counts.kills == 0)
        #expect(machine.tick(due).contains(.kill(1)))
    }

    @Test func `without a spare the one that is in the way is ended after its grace`() {
        var machine = machine { $0.heavyPlaces = 1 }
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        // Every worker that may live does, and is left with something.
        for id in 2...4 as ClosedRange<UInt64> {
            _ = machine.ready(id, now: .zero)
            _ = machine.cancel(id - 1, now: .zero)
            _ = machine.submit(id, tile, isHeavy: false, priority: .visible, now: .zero)
        }
        _ = machine.ready(4, now: .zero)
        #expect(machine.workers.count == machine.configuration.maximumWorkers)
        _ = machine.cancel(4, now: .zero)
        _ = machine.submit(5, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.unserved == [5])
        #expect(machine.nextMoment() == machine.configuration.grace)
        #expect(machine.tick(machine.configuration.grace) == [.kill(1)])
        #expect(machine.ended(1, now: .milliseconds(25)).contains { if case .start = $0 { true } else { false } })
    }

    @Test func `a job whose time is over fails, and its worker is ended`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        let due = machine.configuration.deadlines.tile
        #expect(machine.nextMoment() == due)
        #expect(!machine.tick(due - .milliseconds(1)).contains(.kill(1)))
        let effects = machine.tick(due)
        #expect(effects.contains(.kill(1)) && effects.contains(.fail(1, .tookTooLong)))
        #expect(machine.isEmpty && machine.counts.deadlines == 1)
        #expect(machine.ended(1, now: due) == [] || machine.counts.deaths == 0, "it is no death")
    }

    @Test func `a job that had no share of the processor has its time again, but not for ever`() {
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

    @Test func `a death costs one try, the second is by a worker that has seen nothing else, and no third`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.answered(1, memory: 0, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        // The spare has not done anything yet; it died as the other did.
        let (first, second): (UInt64, UInt64) = (1, 2)
        #expect(machine.jobs[2]?.worker == first)
        #expect(!machine.ended(first, now: .zero).contains { if case .fail = $0 { true } else { false } })
        #expect(machine.ready(second, now: .zero).contains(.begin(2, second, mayBeHeavy: false)))
        #expect(machine.ended(second, now: .zero).contains(.fail(2, .died(forMemory: false))))
        #expect(machine.counts.deaths == 2)
    }

    @Test func `a job over which a worker died waits for a new one though others rest`() {
        var machine = machine { $0.places = 2 }
        // Two workers that have seen pictures.
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.answered(1, memory: 0, now: .zero)
        #expect(machine.workers[1]?.jobs == 1)
        let effects = machine.ended(2, now: .zero)
        #expect(!effects.contains(.begin(2, 1, mayBeHeavy: false)))
        #expect(machine.unserved == [2])
        #expect(machine.workers.values.contains { if case .starting = $0.duty { true } else { false } })
    }

    @Test func `memory refused to a worker that has seen nothing else is refused for good`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        machine.refusedMemory(1)
        #expect(machine.ended(1, now: .zero).contains(.fail(1, .died(forMemory: true))))
    }

    @Test func `prefetch yields its place to what is visible, and has its turn after`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .prefetch, now: .zero)
        _ = machine.ready(2, now: .zero)
        let effects = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(effects.first == .stop(1, 1) && effects.contains(.begin(2, 2, mayBeHeavy: false)))
        // It let go as it was asked to; the job waits on.
        #expect(machine.answered(1, isStopped: true, memory: 0, now: .zero).endsJob == false)
        #expect(machine.isWanted(1))
        let (endsJob, next) = machine.answered(2, memory: 0, now: .zero)
        #expect(endsJob && next.contains { if case .begin(1, _, mayBeHeavy: false) = $0 { true } else { false } })
    }

    @Test func `what a worker makes of a job that yielded its place is its answer`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .prefetch, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.submit(2, tile, isHeavy: false, priority: .visible, now: .zero)
        #expect(machine.answered(1, memory: 0, now: .zero).endsJob)
        #expect(!machine.isWanted(1) && machine.isWanted(2))
    }

    @Test func `workers that have done much, or hold much, are replaced at rest`() {
        var machine = machine {
            $0.jobsPerWorker = 2
            $0.restingMemory = 1_000
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

    @Test func `at rest all workers but one go`() {
        var machine = machine()
        _ = machine.submit(1, tile, isHeavy: false, priority: .visible, now: .zero)
        _ = machine.ready(2, now: .zero)
        _ = machine.answered(1, memory: 50, now: .zero)
        #expect(machine.nextMoment() == machine.configuration.restAfter)
        #expect(machine.tick(machine.configuration.restAfter) == [.kill(1)])
        _ = machine.ended(1, now: .seconds(11))
        #expect(machine.workers.keys.sorted() == [2] && machine.nextMoment() == nil)
    }

    @Test func `where no worker starts nobody waits for ever, and starts back off`() {
        var configuration = RenderPool.Configuration()
        configuration.places = 1
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
        #expect(machine.statistics.isAvailable == false)
        if let worker = machine.workers.keys.min() { _ = machine.ready(worker, now: now) }
        #expect(machine.statistics.isAvailable)
    }
}

extension Priority {
    static let visible = Priority(lane: .visible, viewport: 1, distance: 0)
    static let prefetch = Priority(lane: .prefetch, viewport: 1, distance: 0)
}
