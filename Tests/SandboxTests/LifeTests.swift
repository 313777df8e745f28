import Glibc
import Testing

/// A sandboxed process does not outlive the thread that started it.
@Suite(.timeLimit(.minutes(1))) struct LifeTests {
    @Test func `a sandboxed process is killed when the thread that started it ends`() throws {
        // A thread of its own, because the test runner's threads would live on, and the process with them.
        let started = UnsafeMutablePointer<RunningProbe?>.allocate(capacity: 1)
        started.initialize(to: nil)
        defer { started.deallocate() }
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { place in
            let running = Probe.start("wait")
            // Its first line says that it is inside the sandbox.
            _ = running?.readLine()
            place?.assumingMemoryBound(to: RunningProbe?.self).pointee = running
            return nil
        }
        #expect(pthread_create(&thread, nil, body, started) == 0)
        pthread_join(thread, nil)
        let running = try #require(started.pointee)
        defer { running.close() }
        #expect(running.wait() & 0x7f == SIGKILL)
    }
}
