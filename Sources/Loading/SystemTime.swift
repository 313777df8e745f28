import CLinux
import Glibc

/// The machine's own clocks.
public struct SystemTime: TimeKeeping {
    public init() {}

    public func uptime() -> Duration {
        let (seconds, nanoseconds) = read(CLOCK_MONOTONIC)
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    public func secondsSince1970() -> Int64 { read(CLOCK_REALTIME).seconds }

    private func read(_ clock: clockid_t) -> (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        clock_gettime(clock, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}
