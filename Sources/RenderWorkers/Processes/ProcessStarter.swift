import CLinux
import EventLoops
import Glibc
import Renditions

/// Starts workers as processes.
struct ProcessStarter: WorkerStarting {
    private let program: String
    private let limits: RenderLimits
    private let threadLimit: Int
    private let thread = SpawnThread()

    init(program: String, limits: RenderLimits, threadLimit: Int) {
        self.program = program
        self.limits = limits
        self.threadLimit = threadLimit
    }

    func start(on loop: EventLoop, onEvent: @escaping (WorkerEvent) -> Void) -> any RenderWorker {
        let worker = WorkerProcess(threadLimit: threadLimit, on: loop, onEvent: onEvent)
        let (program, words) = (program, limits.words)
        // Invariant: only the loop touches the worker; the thread only carries the reference.
        nonisolated(unsafe) let carried = worker
        thread.run {
            let spawned = Self.spawn(program, words)
            loop.execute { carried.take(spawned) }
        }
        return worker
    }

    /// Blocks for some milliseconds.
    private static func spawn(_ program: String, _ words: [String]) -> Result<SpawnedProcess, SpawnFailure> {
        var pair: [Int32] = [-1, -1]
        var pipes: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            return .failure(SpawnFailure("socketpair", errno))
        }
        // Non-blocking, so that the worker never waits for its error output to be read.
        guard clinux_pipe(&pipes, O_CLOEXEC | O_NONBLOCK) == 0 else {
            let code = errno
            pair.forEach { close($0) }
            return .failure(SpawnFailure("pipe2", code))
        }
        defer {
            close(pair[1])
            close(pipes[1])
        }
        var process: pid_t = 0
        let code = withStrings([program] + words) { arguments in
            withStrings(environment) { environment in
                program.withCString { path in
                    var what = clinux_spawn(
                        path: path, arguments: arguments, environment: environment, channel: pair[1], errors: pipes[1])
                    return clinux_spawn(&what, &process)
                }
            }
        }
        let pidfd = code == 0 ? clinux_pidfd_open(process) : -1
        guard pidfd >= 0 else {
            let failure = code == 0 ? SpawnFailure("pidfd_open", errno) : SpawnFailure(program, code)
            if code == 0 {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
            }
            close(pair[0])
            close(pipes[0])
            return .failure(failure)
        }
        return .success(SpawnedProcess(channel: pair[0], errors: pipes[0], pidfd: pidfd, number: process))
    }

    /// One arena, so that any thread can reuse freed memory. No search path to the machine's libvips modules: the
    /// worker loads the ones it needs itself. A fixed locale for dates and texts.
    private static let environment = [
        "MALLOC_ARENA_MAX=1", "RUST_BACKTRACE=0", "VIPSHOME=/nonexistent", "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin",
        "HOME=/nonexistent", "SWIFT_BACKTRACE=enable=no", "TZ=UTC",
    ]

    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
    }
}

/// The descriptors of a started process; the receiver must close them.
struct SpawnedProcess: Sendable {
    let channel: Int32
    let errors: Int32
    let pidfd: Int32
    let number: pid_t
}

/// The process could not be started.
struct SpawnFailure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ code: Int32) { description = "\(what): \(String(cString: strerror(code)))" }
}
