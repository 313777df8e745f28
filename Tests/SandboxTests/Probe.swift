import Glibc

/// Runs one attempt in a process of its own, in the whole sandbox or behind some of its walls.
struct Probe {
    enum Walls: String {
        case all, none, files, calls
    }

    enum Outcome: Equatable {
        case allowed
        /// With the error's name.
        case refused(String)
        /// By this signal.
        case killed(Int32)
        /// Anything else that it printed, and its exit status.
        case other(String, Int32)
    }

    /// Beside the tests, where the build puts every executable.
    static let path: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let own = String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
        return own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/sandbox-probe"
    }()

    /// Whether this kernel, or what runs the container, has Landlock.
    static let kernelHasLandlock = outcome(of: "thread", behind: .files) == .allowed

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
        defer { close(running.output) }
        let text = readAll(running.output)
        return outcome(text, status: wait(for: running.process))
    }

    /// Starts an attempt; what it prints can be read from `output`, which the caller closes.
    static func start(
        _ attempt: String, behind walls: Walls = .all, in folder: String = "/tmp"
    ) -> (process: pid_t, output: Int32)? {
        var ends = [Int32](repeating: -1, count: 2)
        // No pipe: other tests start processes at the same time, and none may hold on to an end of it.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var arguments = copies(of: [path, attempt, walls.rawValue])
        // Swift's own report of a crash would need a process, and so change how it ends.
        var environment = copies(of: ["SANDBOX_PROBE_FOLDER=" + folder, "SWIFT_BACKTRACE=enable=no"])
        defer { for copy in arguments + environment { free(copy) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, &arguments, &environment) == 0 else {
            close(ends[0])
            return nil
        }
        return (process, ends[0])
    }

    /// As exec(3) wants them; the caller frees each.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        copies.append(nil)
        return copies
    }

    /// The status as waitpid(2) tells it.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status
    }

    static func readLine(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 200)
        let count = read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var text = ""
        while true {
            let more = readLine(descriptor)
            if more.isEmpty { return text }
            text += more
        }
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
