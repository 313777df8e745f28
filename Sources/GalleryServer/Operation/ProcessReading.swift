import Foundation
import Glibc

/// What the system says about this process at one moment (proc(5), getrlimit(2)).
struct ProcessReading {
    /// User and system CPU time, in seconds.
    let cpu: Double
    /// Resident memory in bytes.
    let resident: Int
    /// Address space in bytes.
    let virtual: Int
    /// Open file descriptors, and how many may be open.
    let descriptors: Int
    let maximumDescriptors: Int
    /// Seconds since 1970.
    let started: Double

    /// Nil where the system does not say. Blocks, for longer the more descriptors are open: about a millisecond for a
    /// thousand.
    init?() {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let memory = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let boot = Self.bootTime, let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        // The program's name, in parentheses, may contain anything. The state is field 3.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst().map(
            String.init)
        let pages = memory.split(separator: " ").compactMap { Int($0) }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 19, let user = Double(fields[11]), let system = Double(fields[12]),
            let began = Double(fields[19]), pages.count >= 2
        else { return nil }
        cpu = (user + system) / ticks
        started = boot + began / ticks
        virtual = pages[0] * Int(getpagesize())
        resident = pages[1] * Int(getpagesize())
        // The listing has a descriptor of its own.
        descriptors = open.count - 1
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        maximumDescriptors = Int(clamping: limit.rlim_cur)
    }

    /// In seconds since 1970.
    private static let bootTime: Double? = {
        guard let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        return stat.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }()
}
