import Glibc

extension Duration {
    /// What a clock of the kernel shows (`clock_gettime(2)`); nothing where it is the clock of a process that has ended.
    static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        return clock_gettime(clock, &time) == 0 ? .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) : .zero
    }
}
