import CLinux
import Glibc

/// System settings that the process makes before anything else.
enum ProcessLimits {
    /// Limits the allocator to two arenas, because many threads would each leave large holes in an arena of their
    /// own. Also makes it return large arrays as soon as they are freed: by default it keeps anything smaller than
    /// the largest block it has seen (`mallopt(3)`, dynamic threshold), and sorting an order of a million pictures
    /// takes several arrays of some megabytes. Raises the descriptor limit as far as the system allows, and makes a
    /// write to a closed socket fail instead of ending the process.
    static func prepare() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 512 << 10)
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
        signal(SIGPIPE, SIG_IGN)
        guard var limit = descriptorLimit else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The number of descriptors that the process may open; nil if unknown.
    static var descriptors: Int? {
        descriptorLimit.map { Int(clamping: $0.rlim_cur) }
    }

    private static var descriptorLimit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
