import Dispatch
import Glibc
import TestSupport
import Testing

@testable import RenderWorkers

@Suite(.timeLimit(.minutes(1))) struct ProcessStateTests {
    @Test func `a process is uninterruptible while one of its threads is`() async throws {
        var template = Array("/tmp/process-state-XXXXXX".utf8CString)
        mkdtemp(&template)
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let pipe = folder + "/pipe"
        defer {
            unlink(pipe)
            rmdir(folder)
        }
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(await eventually { !ProcessState.isUninterruptible(getpid()) })
        async let child: pid_t = withCheckedContinuation { continuation in
            // posix_spawn(3) waits in state D until the child runs its program, and the child waits for a writer.
            DispatchQueue.global().async {
                var actions = posix_spawn_file_actions_t()
                posix_spawn_file_actions_init(&actions)
                posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
                var process: pid_t = 0
                posix_spawn(&process, "/bin/true", &actions, nil, [nil], [nil])
                posix_spawn_file_actions_destroy(&actions)
                continuation.resume(returning: process)
            }
        }
        #expect(await eventually { ProcessState.isUninterruptible(getpid()) })
        close(open(pipe, O_WRONLY | O_CLOEXEC))
        waitpid(await child, nil, 0)
        #expect(await eventually { !ProcessState.isUninterruptible(getpid()) })
    }
}
