import CLinux
import Dispatch

/// Gives memory that is free back to the system while nobody waits for anything: the allocator keeps what pages that
/// scroll through everything made it take, and giving it back holds up whoever asks it for memory meanwhile.
final class Housekeeping {
    private static let interval = DispatchTimeInterval.seconds(20)

    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - isAtRest: whether this is a moment for it; asked on a thread of its own.
    ///   - letGo: called before, to free what is not needed.
    init(isAtRest: @escaping @Sendable () -> Bool, letGo: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tessera.housekeeping", qos: .background))
        timer.setEventHandler {
            guard isAtRest() else { return }
            letGo()
            _ = clinux_trim_memory()
        }
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .seconds(5))
        timer.resume()
    }

    deinit { timer.cancel() }
}
