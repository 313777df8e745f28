import Locking

@testable import Loading

/// A clock that stands still until the test advances it.
final class HeldTime: TimeKeeping {
    private let passed = Guarded(Duration.seconds(1_000))

    func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
    func uptime() -> Duration { passed.withLock { $0 } }
    func secondsSince1970() -> Int64 { 1_700_000_000 + uptime().components.seconds }
}
