import CLinux
import Glibc

/// What the process asks of the system before anything else.
enum ProcessLimits {
    /// Keeps the allocator to two arenas: many threads would each leave large holes in one of their own. Has it give
    /// large arrays back as soon as they are freed: left to itself it keeps all that are smaller than the largest that it
    /// has met (`mallopt(3)`, dynamic threshold), and an order of a million pictures is sorted in several of some megabytes.
    /// Raises the number of descriptors to what the system allows, and makes a write to a closed socket an error
    /// rather than the end of the process.
    static func prepare() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 512 << 10)
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
        signal(SIGPIPE, SIG_IGN)
        guard var limit = descriptorLimit else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many descriptors the process may have open; nil when the system does not say.
    static var descriptors: Int? {
        descriptorLimit.map { Int(clamping: $0.rlim_cur) }
    }

    private static var descriptorLimit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
