import Images
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// Workers that only wait for a disk.
@Suite struct PoolStallTests {
    private typealias Effect = PoolMachine.Effect

    private let tile = RenderJob.Work.make([.tile: .jpeg])
    private let hung = 7
    private let healthy = 8

    /// A machine with this many permits for light jobs, and one worker ready.
    private func machine(permits: Int = 1) -> PoolMachine {
        var configuration = RenderPool.Configuration()
        configuration.permits = permits
        var machine = PoolMachine(configuration)
        #expect(machine.settle(.zero) == [.start(1)])
        _ = machine.ready(1, now: .zero)
        return machine
    }

    private func submit(_ id: UInt64, in group: Int, to machine: inout PoolMachine, now: Duration) -> [Effect] {
        let effects = machine.submit(id, tile, in: group, isHeavy: false, priority: .visible, now: now)
        return effects + getReady(&machine, now)
    }

    /// Makes every started worker ready.
    private func getReady(_ machine: inout PoolMachine, _ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        for (id, worker) in machine.workers.sorted(by: { $0.key < $1.key }) {
            if case .starting = worker.phase { effects += machine.ready(id, now: now) }
        }
        return effects
    }

    /// Advances the time; the workers of these jobs make no progress, nor do these killed workers, which hang.
    private func pass(
        _ machine: inout PoolMachine, to now: Duration, stalled: Set<UInt64>, hung: Set<UInt64> = []
    ) -> [Effect] {
        for id in machine.workersToCheck(now) {
            var hasAdvanced = !hung.contains(id)
            if case .working(let job, _, _) = machine.workers[id]?.phase { hasAdvanced = !stalled.contains(job) }
            machine.recordCheck(of: id, hasAdvanced: hasAdvanced, isUninterruptible: hung.contains(id), now: now)
        }
        return machine.tick(now) + getReady(&machine, now)
    }

    private func begins(_ effects: [Effect]) -> [UInt64] {
        effects.compactMap { if case .begin(let job, _, _) = $0 { job } else { nil } }
    }

    private func failures(_ effects: [Effect]) -> [UInt64: PoolMachine.Failure] {
        effects.reduce(into: [:]) { if case .fail(let job, let failure) = $1 { $0[job] = failure } }
    }

    @Test func `a stalled worker yields its permit to other groups, and its job continues`() {
        var machine = machine()
        #expect(begins(submit(1, in: hung, to: &machine, now: .zero)) == [1])
        #expect(begins(submit(2, in: hung, to: &machine, now: .zero)) == [])
        #expect(begins(submit(3, in: healthy, to: &machine, now: .zero)) == [])
        let look = machine.configuration.stallTimeout
        #expect(machine.nextMoment() == look)
        // The hung group's other job came first, but its group has no permit left.
        #expect(begins(pass(&machine, to: look, stalled: [1])) == [3])
        #expect(machine.statistics.stalled == 1 && machine.statistics.hung == 0)
        // A disk that was only slow fails no image, and its group gets the permit back.
        let (endsJob, effects) = machine.answered(1, memory: 0, now: look)
        #expect(endsJob && begins(effects) == [])
        #expect(begins(machine.answered(3 - 1, memory: 0, now: look).effects + getReady(&machine, look)) == [2])
        #expect(machine.statistics.stalled == 0)
    }

    @Test func `an event at the time of a stall check does not postpone it`() {
        var machine = machine()
        _ = submit(1, in: hung, to: &machine, now: .zero)
        let late = machine.configuration.stallTimeout + .milliseconds(1)
        _ = submit(2, in: hung, to: &machine, now: late)
        #expect(machine.nextMoment() == machine.configuration.stallTimeout)
        _ = pass(&machine, to: late, stalled: [1])
        #expect(machine.statistics.stalled == 1)
        #expect(machine.nextMoment() == late + machine.configuration.stallTimeout)
    }

    @Test func `a worker that makes progress is no longer stalled`() {
        var machine = machine()
        _ = submit(1, in: hung, to: &machine, now: .zero)
        let look = machine.configuration.stallTimeout
        _ = pass(&machine, to: look, stalled: [1])
        #expect(machine.statistics.stalled == 1)
        _ = submit(2, in: hung, to: &machine, now: look)
        #expect(begins(pass(&machine, to: look * 2, stalled: [])) == [2])
        #expect(machine.statistics.stalled == 0)
    }

    @Test func `a job stalled at its deadline fails because of its disk and gets no extension`() {
        var machine = machine()
        _ = submit(1, in: hung, to: &machine, now: .zero)
        let due = machine.configuration.deadlines.tile
        _ = pass(&machine, to: machine.configuration.stallTimeout, stalled: [1])
        #expect(machine.overdue(due) == [])
        let effects = pass(&machine, to: due, stalled: [1])
        #expect(effects.contains(.kill(1)) && failures(effects) == [1: .sourceHangs])
    }

    @Test func `a killed worker that does not end is replaced, and its group fails until it has ended`() {
        var machine = machine()
        _ = submit(1, in: hung, to: &machine, now: .zero)
        let due = machine.configuration.deadlines.tile
        _ = pass(&machine, to: machine.configuration.stallTimeout, stalled: [1])
        _ = pass(&machine, to: due, stalled: [1])
        #expect(begins(submit(2, in: hung, to: &machine, now: due)) == [])
        // It may still end.
        #expect(machine.nextMoment() == due + machine.configuration.killTimeout)
        let effects = pass(&machine, to: due + machine.configuration.killTimeout, stalled: [], hung: [1])
        #expect(failures(effects) == [2: .sourceHangs])
        #expect(machine.statistics.hung == 1 && machine.statistics.unavailability == nil)
        let later = due + .seconds(60)
        #expect(failures(submit(3, in: hung, to: &machine, now: later)) == [3: .sourceHangs])
        for job in 4...9 as ClosedRange<UInt64> {
            #expect(begins(submit(job, in: healthy, to: &machine, now: later)) == [job])
            let worker = machine.jobs[job]?.worker ?? 0
            #expect(machine.answered(worker, memory: 0, now: later).endsJob)
        }
        _ = machine.ended(1, now: later)
        #expect(machine.statistics.hung == 0 && machine.counts.deaths == 0)
        #expect(begins(submit(10, in: hung, to: &machine, now: later)) == [10])
    }

    @Test(arguments: [(hasAdvanced: false, isUninterruptible: false), (hasAdvanced: true, isUninterruptible: true)])
    func `a killed worker that is only slow to end is waited for, also by its group`(
        hasAdvanced: Bool, isUninterruptible: Bool
    ) {
        var machine = machine()
        _ = submit(1, in: hung, to: &machine, now: .zero)
        var now = machine.configuration.deadlines.tile
        _ = pass(&machine, to: machine.configuration.stallTimeout, stalled: [1])
        #expect(pass(&machine, to: now, stalled: [1]).contains(.kill(1)))
        _ = submit(2, in: hung, to: &machine, now: now)
        // The pool keeps looking.
        for _ in 0..<3 {
            now += machine.configuration.killTimeout
            #expect(machine.nextMoment() == now && machine.workersToCheck(now).contains(1))
            machine.recordCheck(of: 1, hasAdvanced: hasAdvanced, isUninterruptible: isUninterruptible, now: now)
            _ = machine.tick(now)
            #expect(machine.statistics.hung == 0 && machine.isWanted(2))
            guard let other = machine.jobs[2]?.worker else { continue }
            machine.recordCheck(of: other, hasAdvanced: true, isUninterruptible: false, now: now)
        }
        #expect(machine.jobs[2]?.worker != nil)
        // Should it hang after all, it counts as hung until that is over.
        for isHung in [true, false] {
            now += machine.configuration.killTimeout
            machine.recordCheck(of: 1, hasAdvanced: false, isUninterruptible: isHung, now: now)
            #expect(machine.statistics.hung == (isHung ? 1 : 0))
        }
    }

    @Test func `a worker that hangs although it was idle counts against no group`() {
        var configuration = RenderPool.Configuration()
        configuration.permits = 1
        configuration.jobsPerWorker = 1
        var machine = PoolMachine(configuration)
        _ = machine.settle(.zero)
        _ = machine.ready(1, now: .zero)
        #expect(begins(submit(1, in: hung, to: &machine, now: .zero)) == [1])
        #expect(machine.answered(1, memory: 0, now: .zero).effects.contains(.kill(1)))
        let now = configuration.killTimeout
        _ = pass(&machine, to: now, stalled: [], hung: [1])
        #expect(machine.statistics.hung == 1)
        // Nor against jobs whose disk is not known.
        for (job, group) in [(2, hung), (3, nil)] as [(UInt64, Int?)] {
            var effects = machine.submit(job, tile, in: group, isHeavy: false, priority: .visible, now: now)
            effects += getReady(&machine, now)
            #expect(begins(effects) == [job])
            let worker = machine.jobs[job]?.worker ?? 0
            #expect(machine.answered(worker, memory: 0, now: now).endsJob)
        }
    }

    @Test func `a group waits for a worker that is only stalled, even if others hang`() {
        var machine = machine(permits: 2)
        #expect(begins(submit(1, in: hung, to: &machine, now: .zero)) == [1])
        let due = machine.configuration.deadlines.tile
        _ = pass(&machine, to: machine.configuration.stallTimeout, stalled: [1])
        _ = pass(&machine, to: due, stalled: [1])
        #expect(begins(submit(2, in: hung, to: &machine, now: due)) == [2])
        let later = due + max(machine.configuration.stallTimeout, machine.configuration.killTimeout)
        _ = pass(&machine, to: later, stalled: [2], hung: [1])
        #expect(machine.statistics.hung == 1 && machine.statistics.stalled == 2)
        #expect(failures(submit(3, in: hung, to: &machine, now: later)) == [:])
        #expect(machine.unscheduled == [] && machine.jobs[3] != nil)
    }

    @Test func `the pool reports when every worker hangs, until one ends`() throws {
        var machine = machine()
        var now = Duration.zero
        let most = machine.configuration.maximumWorkers + machine.configuration.maximumStalledWorkers
        for group in 0..<most {
            #expect(machine.statistics.unavailability == nil)
            let job = UInt64(group + 1)
            #expect(begins(submit(job, in: group, to: &machine, now: now)) == [job])
            for wait in [
                machine.configuration.stallTimeout, machine.configuration.deadlines.tile,
                machine.configuration.killTimeout,
            ] {
                now += wait
                let ending = machine.workers.filter { $0.value.phase == .ending }.keys
                _ = pass(&machine, to: now, stalled: [job], hung: Set(ending))
            }
            #expect(machine.statistics.hung == group + 1)
            #expect(machine.workers.count <= most)
        }
        #expect(machine.statistics.unavailability == "Every render worker hangs in a read from a disk.")
        #expect(failures(submit(100, in: 100, to: &machine, now: now)) == [100: .sourceHangs])
        let one = try #require(machine.workers.keys.min())
        _ = machine.ended(one, now: now)
        #expect(machine.statistics.unavailability == nil)
        _ = getReady(&machine, now)
        #expect(begins(submit(101, in: 101, to: &machine, now: now)) == [101])
    }
}
