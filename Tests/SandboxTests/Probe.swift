import Glibc

/// Runs one attempt in a process of its own, in the whole sandbox or in part of it.
struct Probe {
    enum Walls: String {
        case all, none, limits, files, calls
    }

    enum Outcome: Equatable {
        case allowed
        /// With the name of the error.
        case refused(String)
        /// With this signal.
        case killed(Int32)
        /// Anything else it printed, and its exit status.
        case other(String, Int32)
    }

    /// Next to the tests, where the build puts all executables.
    static let path: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let own = String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
        return own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/sandbox-probe"
    }()

    /// The most threads that an attempt gets.
    static let threadLimit = 24

    /// Whether the kernel and the container runtime provide Landlock.
    static let kernelHasLandlock = outcome(of: "thread", behind: .files) == .allowed

    /// Whether requests for threads reach a supervisor.
    static let kernelAsksForThreads = outcome(of: "supervised", behind: .calls) == .allowed

    static func outcome(of attempt: String, behind walls: Walls = .all) -> Outcome {
        var template = Array("/tmp/sandbox-probe-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return .other("no folder", errno) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in ["file", "new", "other", "output"] { unlink(folder + "/" + name) }
            rmdir(folder + "/directory")
            rmdir(folder)
        }
        guard let running = start(attempt, behind: walls, in: folder) else { return .other("not started", errno) }
        defer { running.close() }
        let text = running.readAll(threads: threadLimit)
        return outcome(text, status: running.wait())
    }

    /// Starts an attempt, which the caller closes.
    static func start(
        _ attempt: String, behind walls: Walls = .all, in folder: String = "/tmp"
    ) -> RunningProbe? {
        var (ends, supervision) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        // Not a pipe, because other tests start processes at the same time, and none may inherit an end of it.
        let (stream, packets) = (Int32(SOCK_STREAM.rawValue), Int32(SOCK_SEQPACKET.rawValue))
        guard socketpair(AF_UNIX, stream | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
        defer { close(ends[1]) }
        guard socketpair(AF_UNIX, packets | Int32(SOCK_CLOEXEC.rawValue), 0, &supervision) == 0 else {
            close(ends[0])
            return nil
        }
        defer { close(supervision[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, supervision[1], 3)
        var arguments = copies(of: [path, attempt, walls.rawValue])
        // Swift's crash reporter would need a process of its own, and so change the outcome.
        var environment = copies(of: ["SANDBOX_PROBE_FOLDER=" + folder, "SWIFT_BACKTRACE=enable=no"])
        defer { for copy in arguments + environment { free(copy) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, &arguments, &environment) == 0 else {
            close(ends[0])
            close(supervision[0])
            return nil
        }
        return RunningProbe(process: process, output: ends[0], supervision: supervision[0])
    }

    /// Arguments as exec(3) expects them; the caller frees each.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        copies.append(nil)
        return copies
    }

    private static func outcome(_ text: String, status: Int32) -> Outcome {
        if status & 0x7f != 0 { return .killed(status & 0x7f) }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        switch (words.first, words.count, status) {
        case ("allowed", 1, 0): return .allowed
        case ("refused", 2, 0): return .refused(words[1])
        default: return .other(words.joined(separator: " "), status >> 8)
        }
    }
}
