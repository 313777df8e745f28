import Dispatch
import Glibc
import Locking
import Scheduling
import TestSupport
import Testing

@testable import BlockingIO

@Suite(.timeLimit(.minutes(1))) struct BlockingPoolTests {
    private let urgent = Priority(level: .visible, viewport: 7, distance: 0)
    private let ran = Guarded<[Int]>([])
    private let gate = DispatchSemaphore(value: 0)

    private typealias Outcome = Result<Int, BlockingPool.Failure>

    private func record(_ number: Int) { ran.withLock { $0.append(number) } }
    private var all: [Int] { ran.withLock { $0 } }

    @Test func `queued work can be cancelled and reprioritised by its handle, running work cannot`() async {
        let pool = BlockingPool(label: "test", threads: 1)
        let first = pool.submit {
            record(1)
            gate.wait()
        }
        #expect(await eventually { all == [1] })
        let handles = (2...5).map { number in pool.submit { record(number) } }
        handles[3].reprioritise(urgent)
        #expect(handles[1].cancel() && !handles[1].cancel() && !first.cancel())
        gate.signal()
        #expect(await eventually { all == [1, 5, 2, 4] && pool.count == 0 })
        #expect(!handles[3].cancel())
    }

    @Test func `threads end when there has been no work for a while, and later work starts new ones`() async {
        let pool = BlockingPool(
            label: "test", threads: 3, idleTime: .milliseconds(20), starter: BlockingThread.start)
        for round in 0..<20 {
            let before = all.count
            for number in 1...3 { pool.submit { record(number) } }
            #expect(await eventually { all.count == before + 3 }, "round \(round)")
            // Rounds begin while threads are ending, and after that.
            if round % 2 == 0 { #expect(await eventually { pool.threadCount == 0 }) }
        }
    }

    @Test func `threads end when the pool is stopped`() async {
        let pool = BlockingPool(label: "test", threads: 3)
        for number in 1...3 { pool.submit { record(number) } }
        #expect(await eventually { all.count == 3 })
        #expect(pool.threadCount > 0)
        pool.stop()
        #expect(pool.join(for: 10))
        #expect(pool.threadCount == 0)
    }

    @Test func `hung groups leave threads for other groups, however many hang`() async {
        let pool = BlockingPool(label: "test", threads: 16, threadsPerGroup: 2)
        let begun = Guarded<[Int]>([])
        // Ten pieces of work hang in each of seven groups before the first thread looks for work.
        for group in 0..<7 {
            for _ in 0..<10 {
                pool.submit(in: group) {
                    begun.withLock { $0.append(group) }
                    gate.wait()
                }
            }
        }
        #expect(await eventually { begun.withLock(\.count) == 14 })
        for number in 0..<100 { pool.submit(in: 7) { record(number) } }
        #expect(await eventually { all.count == 100 })
        #expect(all.sorted() == Array(0..<100))
        #expect(begun.withLock { $0.sorted() } == (0..<7).flatMap { [$0, $0] } && pool.threadCount <= 16)
        pool.stop()
        for _ in 0..<14 { gate.signal() }
        #expect(pool.join(for: 10))
    }

    @Test func `a single group uses no more threads than its share`() async {
        let pool = BlockingPool(label: "test", threads: 64, threadsPerGroup: 2)
        for number in 0..<500 { pool.submit { record(number) } }
        #expect(await eventually { all.count == 500 })
        #expect((1...2).contains(pool.threadCount))
    }

    @Test func `work submitted while no thread can be created starts once one can`() async {
        let attempts = Guarded(0)
        let pool = BlockingPool(label: "test", threads: 2) { body in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return attempt > 3 && BlockingThread.start(body)
        }
        pool.submit { record(1) }
        #expect(pool.threadCount == 0)
        // Nothing else is submitted.
        #expect(await eventually { all == [1] })
        pool.stop()
        #expect(pool.join(for: 10))
    }

    // MARK: - Deadlines

    @Test func `hung work times out at its deadline, queued or running, and blocks only its own group`() async {
        let pool = BlockingPool(label: "test", threads: 8, threadsPerGroup: 2, deadline: .milliseconds(500))
        let results = Guarded<[Int: [Outcome]]>([:])
        for numbers in [0..<2, 2..<5] {
            for number in numbers {
                pool.run(in: 1) {
                    record(number)
                    gate.wait()
                    return number
                } then: { result in
                    results.withLock { $0[number, default: []].append(result) }
                }
            }
            #expect(await eventually { all.count == 2 })
        }
        #expect(await eventually { results.withLock(\.count) == 5 })
        #expect(results.withLock { $0.values.allSatisfy { $0 == [.failure(.hangs)] } })
        // Two run. The other three never start, and their group gets no other thread.
        #expect(all.count == 2 && pool.count == 2)
        let other = Guarded<Outcome?>(nil)
        pool.run(in: 2) {
            42
        } then: { result in
            other.withLock { $0 = result }
        }
        #expect(await eventually { other.withLock { $0 == .success(42) } })
        // A result after the deadline is dropped, and its thread serves the group again.
        gate.signal()
        gate.signal()
        let again = Guarded<Outcome?>(nil)
        #expect(await eventually { pool.count == 0 })
        pool.run(in: 1) {
            43
        } then: { result in
            again.withLock { $0 = result }
        }
        #expect(await eventually { again.withLock { $0 == .success(43) } })
        #expect(results.withLock { $0.values.allSatisfy { $0 == [.failure(.hangs)] } } && all.count == 2)
    }

    @Test func `cancelled work calls no completion handler, not even at its deadline`() async {
        let pool = BlockingPool(label: "test", threads: 1, deadline: .milliseconds(50))
        let completed = Guarded<[String]>([])
        pool.run {
            gate.wait()
        } then: { result in
            if case .failure(let failure) = result { completed.withLock { $0.append("\(failure)") } }
        }
        let handle = pool.run {
        } then: { _ in
            completed.withLock { $0.append("cancelled") }
        }
        #expect(handle.cancel())
        #expect(await eventually { completed.withLock { $0 == ["hangs"] } })
        gate.signal()
        pool.stop()
        #expect(pool.join(for: 10))
        #expect(completed.withLock { $0 == ["hangs"] })
    }

    @Test func `work that waits behind other work until its deadline never began, and does not hang`() async {
        let pool = BlockingPool(label: "test", threads: 2, threadsPerGroup: 2, deadline: .milliseconds(500))
        let prefetch = Priority(level: .prefetch, viewport: 0, distance: 0)
        // Prefetch may occupy half of the threads.
        pool.submit(in: 1, priority: prefetch) { gate.wait() }
        #expect(await pool.value(in: 1, priority: prefetch) { 1 } == .failure(.neverBegan))
        #expect(await pool.value(in: 1) { 2 } == .success(2))
        gate.signal()
        #expect(await eventually { pool.count == 0 })
        #expect(await pool.value(in: 1, priority: prefetch) { 3 } == .success(3))
    }

    @Test func `nor does it while urgent work occupies its group and returns`() async {
        let pool = BlockingPool(label: "test", threads: 1, deadline: .milliseconds(500))
        for _ in 0..<2 { pool.submit(priority: urgent) { gate.wait() } }
        #expect(await eventually { pool.threadCount == 1 })
        async let result = pool.value { 1 }
        #expect(await eventually { pool.count == 3 })
        // The second begins.
        gate.signal()
        #expect(await result == .failure(.neverBegan))
        gate.signal()
    }

    @Test func `nor does it when the threads of its group have only just been taken`() async {
        let pool = BlockingPool(label: "test", threads: 1, deadline: .seconds(1))
        pool.submit(in: 1) { gate.wait() }
        let submitted = ContinuousClock.now
        async let result = pool.value(in: 2) { 1 }
        #expect(await eventually { pool.count == 2 })
        pool.submit(in: 2, priority: urgent) { gate.wait() }
        #expect(await eventually { .now - submitted >= .milliseconds(700) })
        gate.signal()
        #expect(await result == .failure(.neverBegan))
        gate.signal()
    }

    @Test func `work that begins late has the whole deadline from then on`() async {
        let pool = BlockingPool(label: "test", threads: 1, deadline: .seconds(1))
        let submitted = ContinuousClock.now
        @Sendable func passed(_ duration: Duration) -> Bool { .now - submitted >= duration }
        pool.submit { gate.wait() }
        async let result = pool.value {
            while !passed(.milliseconds(1_400)) { sched_yield() }
            return 1
        }
        #expect(await eventually { passed(.milliseconds(700)) })
        gate.signal()
        #expect(await result == .success(1))
    }

    @Test func `work that is queued or running when the pool stops fails`() async {
        let pool = BlockingPool(label: "test", threads: 1)
        let failures = Guarded<[BlockingPool.Failure]>([])
        for _ in 0..<2 {
            pool.run {
                gate.wait()
            } then: { result in
                if case .failure(let failure) = result { failures.withLock { $0.append(failure) } }
            }
        }
        pool.stop()
        #expect(failures.withLock { $0 } == [.stopped, .stopped])
        gate.signal()
        #expect(pool.join(for: 10))
        #expect(await pool.value { 1 } == .failure(.stopped))
    }
}
