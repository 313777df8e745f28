import CLinux
import Dispatch

/// Returns free memory to the system while the server is idle. After a fast scroll through a large gallery, the
/// allocator keeps a lot of it, and returning it delays concurrent allocations.
final class MemoryTrimmer {
    private static let interval = DispatchTimeInterval.seconds(20)

    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - isAtRest: Whether the server is idle; called on a queue of this object's own.
    ///   - letGo: Called before, to drop what is not needed.
    init(isAtRest: @escaping @Sendable () -> Bool, release: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tessera.housekeeping", qos: .background))
        timer.setEventHandler {
            guard isAtRest() else { return }
            release()
            _ = clinux_trim_memory()
        }
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .seconds(5))
        timer.resume()
    }

    deinit { timer.cancel() }
}
