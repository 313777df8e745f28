import Dispatch
import Glibc
import Locking

/// Writes lines to standard error on a thread of its own, so that a reader that has stopped reading blocks nobody. Lines
/// beyond a limit are dropped and counted.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    private struct State {
        var bytes = 0
        var dropped = 0
    }

    /// The limit of the bytes that wait to be written.
    private static let limit = 4 << 20
    /// How long the end of the process waits for the last lines, in seconds.
    private static let patience = 1

    private let queue = DispatchQueue(label: "tessera.log")
    private let state = Guarded(State())

    private init() { atexit { LogWriter.shared.flush() } }

    /// Any thread; returns at once.
    func write(_ line: [UInt8]) {
        let isTaken = state.withLock { state in
            guard state.bytes + line.count <= Self.limit else {
                state.dropped += 1
                return false
            }
            state.bytes += line.count
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            Self.writeAll(line)
            let dropped = state.withLock { state in
                state.bytes -= line.count
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                Self.writeAll(Array("\(dropped) log lines were dropped: standard error was not read.\n".utf8))
            }
        }
    }

    /// Waits until everything is written, but not for long.
    func flush() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + .seconds(Self.patience))
    }

    /// Ignores failures: the server must not end because nobody reads its log.
    private static func writeAll(_ bytes: [UInt8]) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}
