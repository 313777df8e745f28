import Dispatch
import Glibc
import Locking
import TestSupport
import Testing

@testable import Loading

@Suite(.timeLimit(.minutes(1))) struct EventQueueTests {
    @Test func `an idle queue runs an event on the calling thread, and an enqueued event on its own`() async {
        let queue = EventQueue(label: "test")
        let threads = Recorder<pthread_t>()
        let brought = await onThread {
            queue.runOrEnqueue { threads.record(pthread_self()) }
            #expect(threads.count == 1, "it has run")
            return pthread_self()
        }
        #expect(threads.all == [brought])
        let enqueued = await onThread {
            queue.enqueue { threads.record(pthread_self()) }
            return pthread_self()
        }
        #expect(await threads.element(1) != enqueued)
    }

    @Test func `an event submitted while another one runs waits its turn without blocking the caller`() async {
        let queue = EventQueue(label: "test")
        let (started, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Recorder<Int>()
        async let first: Void = onThread {
            queue.runOrEnqueue {
                started.signal()
                released.wait()
                // Called within an event, so it runs after the events that already wait.
                queue.runOrEnqueue { order.record(4) }
                order.record(1)
            }
        }
        await onThread {
            started.wait()
            queue.runOrEnqueue { order.record(2) }
            queue.enqueue { order.record(3) }
            #expect(order.count == 0)
            released.signal()
        }
        await first
        #expect(await order.first(4) == [1, 2, 3, 4])
    }

    @Test func `events from many threads run one at a time, in each thread's order, and none is lost`() async {
        let queue = EventQueue(label: "test")
        let running = Guarded(0)
        let overlaps = Recorder<Int>()
        let ran = Recorder<(thread: Int, number: Int)>()
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    await onThread {
                        for number in 0..<2_000 {
                            let event: EventQueue.Event = {
                                let others = running.withLock { running in
                                    defer { running += 1 }
                                    return running
                                }
                                if others > 0 { overlaps.record(others) }
                                ran.record((thread, number))
                                running.withLock { $0 -= 1 }
                            }
                            if (thread + number) % 3 == 0 { queue.enqueue(event) } else { queue.runOrEnqueue(event) }
                        }
                    }
                }
            }
        }
        let all = await ran.first(8_000)
        #expect(overlaps.count == 0 && ran.count == 8_000)
        for thread in 0..<4 { #expect(all.filter { $0.thread == thread }.map(\.number) == Array(0..<2_000)) }
    }

    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { done in inThread { done.resume(returning: body()) } }
    }
}
