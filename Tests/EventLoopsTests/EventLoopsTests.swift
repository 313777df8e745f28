import CLinux
import EventLoops
import Glibc
import Testing

/// Calls a closure for each event.
private final class Recorder: EventHandler {
    var onReady: (Readiness) -> Void

    init(_ onReady: @escaping (Readiness) -> Void) { self.onReady = onReady }

    func descriptorIsReady(_ events: Readiness) { onReady(events) }
}

/// The two ends of a pair of non-blocking sockets.
private func socketPair() -> (near: Int32, far: Int32) {
    var ends: [Int32] = [0, 0]
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, flags, 0, &ends) == 0)
    return (ends[0], ends[1])
}

extension EventLoop {
    /// Runs `body` on the loop, and waits until it calls its argument.
    fileprivate func perform<Value: Sendable>(
        _ body: @escaping @Sendable (CheckedContinuation<Value, Never>) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in execute { body(continuation) } }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(label: "test") }

    @Test func `work runs in order and on the loop`() async {
        #expect(!loop.isCurrent)
        let order: [Int] = await loop.perform { [loop] continuation in
            nonisolated(unsafe) var order: [Int] = []
            for number in 0..<100 {
                loop.execute {
                    loop.preconditionCurrent()
                    order.append(number)
                }
            }
            loop.execute { continuation.resume(returning: order) }
        }
        #expect(order == Array(0..<100))
    }

    @Test func `jobs from many threads each run once, in the order of their thread`() async {
        let (threads, jobs) = (4, 5_000)
        nonisolated(unsafe) var seen = [[Int]](repeating: [], count: threads)
        await withTaskGroup { group in
            for thread in 0..<threads {
                group.addTask { [loop] in
                    for job in 0..<jobs {
                        loop.execute { seen[thread].append(job) }
                        // Now and then, pause long enough for the loop to wait in epoll or to go idle.
                        if job % 1_000 == 999 { try? await Task.sleep(for: .milliseconds(thread)) }
                    }
                }
            }
        }
        await loop.perform { (continuation: CheckedContinuation<Void, Never>) in continuation.resume(returning: ()) }
        for thread in 0..<threads { #expect(seen[thread] == Array(0..<jobs)) }
    }

    @Test func `a task that prefers the loop runs on it, even after a suspension`() async {
        let task = Task(executorPreference: loop) { [loop] in
            let before = loop.isCurrent
            try? await Task.sleep(for: .milliseconds(1))
            return (before, loop.isCurrent)
        }
        let (before, after) = await task.value
        #expect(before && after)
    }

    @Test func `an actor on the loop is isolated there`() async {
        actor Counter {
            let loop: EventLoop
            var count = 0
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            init(_ loop: EventLoop) { self.loop = loop }
            func increment() -> Bool {
                count += 1
                return loop.isCurrent
            }
            nonisolated func incrementAssumingIsolated() { assumeIsolated { $0.count += 1 } }
        }
        let counter = Counter(loop)
        #expect(await counter.increment())
        await loop.perform { continuation in
            counter.incrementAssumingIsolated()
            continuation.resume(returning: ())
        }
        #expect(await counter.count == 2)
    }

    @Test func `a readable descriptor is reported until it is unwatched`() async {
        let (near, far) = socketPair()
        defer { close(far) }
        let reports: Int = await loop.perform { [loop] continuation in
            var reports = 0
            let recorder = Recorder { events in
                #expect(events.contains(.readable))
                reports += 1
                // Level-triggered, and nothing is read: it would be reported forever.
                guard reports == 3 else { return }
                loop.unwatch(near)
                close(near)
                loop.schedule(after: .milliseconds(5)) { continuation.resume(returning: reports) }
            }
            #expect(throws: Never.self) { try loop.watch(near, for: .read, handler: recorder) }
            write(far, "x", 1)
        }
        #expect(reports == 3)
    }

    @Test func `an edge-triggered descriptor is reported once for each change`() async {
        let (near, far) = socketPair()
        defer {
            close(near)
            close(far)
        }
        let reports: [Readiness] = await loop.perform { [loop] continuation in
            var reports: [Readiness] = []
            let recorder = Recorder { events in
                reports.append(events)
                if reports.count == 1 { write(far, "x", 1) }
                if events.contains(.peerFinished) {
                    loop.unwatch(near)
                    continuation.resume(returning: reports)
                } else if reports.count == 2 {
                    shutdown(far, Int32(SHUT_WR))
                }
            }
            #expect(throws: Never.self) {
                try loop.watch(near, for: [.read, .write, .edgeTriggered], handler: recorder)
            }
        }
        #expect(reports.count == 3)
        #expect(reports.first == .writable)
        #expect(reports.last?.contains([.readable, .peerFinished]) == true)
    }

    @Test func `an event for a closed descriptor does not reach the next watcher of its number`() async {
        let (first, firstFar) = socketPair()
        let (second, secondFar) = socketPair()
        defer { for end in [second, firstFar, secondFar] { close(end) } }
        let wrong: Bool = await loop.perform { [loop] continuation in
            var wrong = false
            let late = Recorder { _ in wrong = true }
            // Both become ready in the same batch. The first handler called closes the other's descriptor, and a
            // silent socket takes over its number.
            let (silent, silentFar) = socketPair()
            var isDone = false
            func takeOver(_ number: Int32) {
                guard !isDone else { return }
                isDone = true
                loop.unwatch(number)
                dup2(silent, number)
                close(silent)
                #expect(throws: Never.self) { try loop.watch(number, for: .read, handler: late) }
                loop.schedule(after: .milliseconds(5)) {
                    loop.unwatch(number)
                    close(silentFar)
                    continuation.resume(returning: wrong)
                }
            }
            let one = Recorder { _ in
                loop.unwatch(first)
                takeOver(second)
            }
            let other = Recorder { _ in
                loop.unwatch(second)
                takeOver(first)
            }
            write(firstFar, "x", 1)
            write(secondFar, "x", 1)
            #expect(throws: Never.self) {
                try loop.watch(first, for: .read, handler: one)
                try loop.watch(second, for: .read, handler: other)
            }
        }
        close(first)
        #expect(!wrong)
    }

    @Test func `watching an invalid descriptor throws an error`() async {
        let (near, far) = socketPair()
        defer {
            close(near)
            close(far)
        }
        await loop.perform { [loop] (continuation: CheckedContinuation<Void, Never>) in
            let recorder = Recorder { _ in }
            #expect(throws: LoopError.system(call: "epoll_ctl", code: EBADF)) {
                try loop.watch(-1, for: .read, handler: recorder)
            }
            #expect(throws: LoopError.system(call: "epoll_ctl", code: ENOENT)) {
                try loop.rewatch(near, for: .read)
            }
            #expect(throws: Never.self) { try loop.watch(near, for: .read, handler: recorder) }
            #expect(throws: LoopError.system(call: "epoll_ctl", code: EEXIST)) {
                try loop.watch(near, for: .read, handler: recorder)
            }
            loop.unwatch(near)
            continuation.resume(returning: ())
        }
    }

    @Test func `a stopped loop accepts no watchers or timers but still executes jobs`() async {
        await loop.stop()
        let (near, far) = socketPair()
        defer {
            close(near)
            close(far)
        }
        await loop.perform { [loop] (continuation: CheckedContinuation<Void, Never>) in
            #expect(throws: LoopError.stopped) { try loop.watch(near, for: .read, handler: Recorder { _ in }) }
            #expect(!loop.schedule(after: .zero) {}.isPending)
            continuation.resume(returning: ())
        }
    }

    @Test func `a stopped loop is freed with its handlers and timers`() async throws {
        final class Held: EventHandler, Sendable {
            func descriptorIsReady(_ events: Readiness) {}
        }
        let (near, far) = socketPair()
        defer {
            close(near)
            close(far)
        }
        weak var held: Held?
        weak var loop: EventLoop?
        do {
            let made = try EventLoop(label: "short")
            let handler = Held()
            (loop, held) = (made, handler)
            await made.perform { (continuation: CheckedContinuation<Void, Never>) in
                #expect(throws: Never.self) { try made.watch(near, for: .read, handler: handler) }
                made.schedule(after: .seconds(1_000)) { [handler] in _ = handler }
                continuation.resume(returning: ())
            }
            await made.stop()
        }
        let deadline = ContinuousClock.now + .seconds(20)
        while loop != nil || held != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
        #expect(loop == nil)
        #expect(held == nil)
    }

    @Test func `loops that end close their descriptors`() async throws {
        let before = Self.kernelObjects()
        for _ in 0..<2_000 {
            let loop = try EventLoop(label: "short")
            await loop.stop()
        }
        // Each loop has one of each kind; other tests hold far fewer meanwhile.
        for (kind, count) in Self.kernelObjects() {
            let more = count - before[kind, default: 0]
            #expect(more < 500, "\(more) descriptors of \(kind) are left")
        }
        let own = try EventLoop(label: "own")
        #expect(
            Self.kernelObjects()["anon_inode:[eventpoll]", default: 0] > 0, "no loop was found")
        await own.stop()
    }

    /// This process's number of descriptors of each kind that has no name in a file system.
    private static func kernelObjects() -> [String: Int] {
        var counts: [String: Int] = [:]
        guard let folder = opendir("/proc/self/fd") else { return counts }
        defer { closedir(folder) }
        var target = [CChar](repeating: 0, count: 64)
        while let entry = readdir(folder) {
            let length = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    readlinkat(dirfd(folder), $0, &target, target.count)
                }
            }
            guard length > 0 else { continue }
            let text = String(decoding: target[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix("anon_inode:") { counts[text, default: 0] += 1 }
        }
        return counts
    }
}
