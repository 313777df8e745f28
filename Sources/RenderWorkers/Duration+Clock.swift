import Glibc

extension Duration {
    /// Reads a kernel clock (`clock_gettime(2)`). Returns zero for the clock of a process that has ended.
    static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        return clock_gettime(clock, &time) == 0 ? .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) : .zero
    }
}
