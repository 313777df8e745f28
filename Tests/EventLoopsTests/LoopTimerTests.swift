import TestSupport
import Testing

@testable import EventLoops

@Suite(.timeLimit(.minutes(1)))
struct LoopTimerTests {
    @Test func `timers run in the order they are due, and none too early`() async throws {
        let loop = try EventLoop(label: "timers")
        // Repeat if scheduling took longer than the interval between two timers, because they are then due in another
        // order.
        while true {
            let (order, took): ([Int], Duration) = await withCheckedContinuation { continuation in
                loop.execute {
                    let start = ContinuousClock.now
                    var order: [Int] = []
                    var took = Duration.zero
                    for delay in [9, 3, 6, 1, 3] {
                        loop.schedule(after: .milliseconds(delay)) {
                            #expect(ContinuousClock.now - start >= .milliseconds(delay))
                            order.append(delay)
                            if order.count == 5 { continuation.resume(returning: (order, took)) }
                        }
                    }
                    took = ContinuousClock.now - start
                }
            }
            guard took < .milliseconds(2) else { continue }
            #expect(order == [1, 3, 3, 6, 9])
            break
        }
    }

    @Test func `a cancelled timer does not run and releases what it captured`() async throws {
        final class Held: Sendable {}
        let loop = try EventLoop(label: "timers")
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.execute {
                weak var weakly: Held?
                do {
                    let held = Held()
                    weakly = held
                    let timer = loop.schedule(after: .milliseconds(1)) { [held] in
                        _ = held
                        Issue.record("a cancelled timer ran")
                    }
                    timer.cancel()
                    timer.cancel()
                    #expect(!timer.isPending)
                }
                #expect(weakly == nil)
                loop.schedule(after: .milliseconds(5)) { continuation.resume() }
            }
        }
    }

    @Test func `a timer can start another, and a negative or huge delay does not trap`() async throws {
        let loop = try EventLoop(label: "timers")
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.execute {
                loop.schedule(after: .seconds(Int64.max)) { Issue.record("a timer ran too early") }
                loop.schedule(after: .seconds(-5)) {
                    loop.schedule(after: .zero) { continuation.resume() }
                }
            }
        }
        await loop.stop()
    }

    @Test(arguments: 1...20) func `a heap under random operations returns the timers in order`(seed: UInt64) throws {
        let loop = try EventLoop(label: "heap")
        var random = SeededRandom(seed: seed)
        var heap = TimerHeap()
        var live: [LoopTimer] = []
        for order in 0..<500 as Range<UInt64> {
            if random.next() % 3 == 0, let victim = live.randomElement(using: &random) {
                heap.remove(victim)
                live.removeAll { $0 === victim }
            } else {
                let timer = LoopTimer(due: random.next() % 100, order: order, loop: loop) {}
                heap.insert(timer)
                live.append(timer)
            }
        }
        var taken: [LoopTimer] = []
        while let timer = heap.popDue(at: .max) { taken.append(timer) }
        let expected = live.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
        #expect(taken.map(\.order) == expected.map(\.order))
    }
}
