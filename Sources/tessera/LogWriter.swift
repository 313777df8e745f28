import Dispatch
import Glibc
import Locking

/// Writes lines to standard error on a thread of its own, so that a stalled reader never blocks the server. Lines
/// beyond a limit are dropped, and the next line says how many.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    private struct State {
        var bytes = 0
        var dropped = 0
    }

    /// The maximum number of buffered bytes.
    private static let limit = 4 << 20
    /// How long process exit may wait until the buffer is written, in seconds.
    private static let flushTimeout = 1

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
            state.withLock { $0.bytes -= line.count }
        }
    }

    /// How many lines were dropped, once there is room again; nil if none were.
    func takeDropped() -> Int? {
        state.withLock { state in
            guard state.dropped > 0, state.bytes < Self.limit / 2 else { return nil }
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Flushes the buffer, waiting at most `flushTimeout`.
    func flush() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + .seconds(Self.flushTimeout))
    }

    /// Ignores failures: the server must not end because nobody reads its log.
    private static func writeAll(_ bytes: [UInt8]) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
                continue
            }
            guard count > 0 else { return }
            written += count
        }
    }
}
