import Glibc

/// Programs that tests start.
public enum Subprocess {
    /// Starts a program, and discards its output.
    ///
    /// - Parameter words: The program's path, and its arguments.
    /// - Returns: The process; nil if it cannot be started.
    public static func spawn(_ words: [String]) -> pid_t? {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var process: pid_t = -1
        guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 else { return nil }
        return process
    }

    /// Runs a program until it ends.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public static func run(_ words: [String]) -> Bool {
        var status: Int32 = 0
        guard let process = spawn(words), waitpid(process, &status, 0) == process else { return false }
        return status == 0
    }
}
