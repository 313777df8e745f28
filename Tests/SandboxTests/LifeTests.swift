import Glibc
import Testing

/// A process in the sandbox outlives nobody.
@Suite(.timeLimit(.minutes(1))) struct LifeTests {
    @Test func `a sandboxed process is killed when the thread that started it ends`() throws {
        // A thread of its own: those of the tests go on, and the process would with them.
        let started = UnsafeMutablePointer<(process: pid_t, output: Int32)?>.allocate(capacity: 1)
        started.initialize(to: nil)
        defer { started.deallocate() }
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { place in
            let running = Probe.start("wait")
            // Its line says that it is inside.
            if let running { _ = Probe.readLine(running.output) }
            place?.assumingMemoryBound(to: (process: pid_t, output: Int32)?.self).pointee = running
            return nil
        }
        #expect(pthread_create(&thread, nil, body, started) == 0)
        pthread_join(thread, nil)
        let running = try #require(started.pointee)
        defer { close(running.output) }
        #expect(Probe.wait(for: running.process) & 0x7f == SIGKILL)
    }
}
