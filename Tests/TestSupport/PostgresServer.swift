import Glibc

/// A private PostgreSQL server on a free loopback port, deleted with this object. Its user is `tessera`, with the
/// password ``password``. It can be killed, frozen and restarted.
public final class PostgresServer: @unchecked Sendable {
    // Sendable because a test calls it from one task at a time.
    public let port: UInt16
    private let folder: String
    private var process: pid_t = -1

    public static let password = "hunter2"
    private static let programs = (13...20).map { "/usr/lib/postgresql/\($0)/bin/" }.last {
        access($0 + "postgres", X_OK) == 0
    }
    public static var isInstalled: Bool { programs != nil }
    /// PostgreSQL refuses to run as root.
    private static let user = geteuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

    /// Nil if it does not start.
    public init?() async {
        var template = Array("/tmp/tessera-postgres-XXXXXX".utf8CString)
        guard let programs = Self.programs, mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        port = Loopback.freePort()
        if geteuid() == 0, let owner = getpwnam("postgres") {
            chown(folder, owner.pointee.pw_uid, owner.pointee.pw_gid)
        }
        guard let secret = fopen(folder + "/secret", "w") else { return nil }
        fputs(Self.password, secret)
        fclose(secret)
        chmod(folder + "/secret", 0o644)
        let words = [
            programs + "initdb", "--pgdata", folder + "/data", "--username", "tessera", "--auth", "scram-sha-256",
            "--pwfile", folder + "/secret", "--encoding", "UTF8", "--locale", "C", "--no-sync",
        ]
        var status: Int32 = 0
        guard let made = Self.spawn(words), waitpid(made, &status, 0) == made, status == 0 else { return nil }
        guard await start() else { return nil }
    }

    deinit {
        end()
        if let remover = Self.spawn(["rm", "-rf", folder]) { waitpid(remover, nil, 0) }
    }

    /// The URL of the default database, or of another.
    public func url(password: String = password, database: String = "postgres") -> String {
        "postgres://tessera:\(password)@127.0.0.1:\(port)/\(database)"
    }

    /// Starts the server.
    ///
    /// - Returns: Whether it is ready.
    public func start() async -> Bool {
        guard let programs = Self.programs else { return false }
        let words = [
            programs + "postgres", "-D", folder + "/data", "-h", "127.0.0.1", "-p", "\(port)", "-k", folder,
            "-c", "fsync=off", "-c", "shared_buffers=16MB",
        ]
        process = Self.spawn(words) ?? -1
        guard process > 0 else { return false }
        // The server listens before it is ready, and says so to clients that connect.
        let port = "\(port)"
        return await eventually {
            var status: Int32 = 0
            let asker = Self.spawn([programs + "pg_isready", "-q", "-h", "127.0.0.1", "-p", port])
            guard let asker, waitpid(asker, &status, 0) == asker else { return false }
            return status == 0
        }
    }

    /// Kills the server, like a crash.
    public func end() {
        guard process > 0 else { return }
        wake()
        for one in all { kill(one, SIGKILL) }
        waitpid(process, nil, 0)
        process = -1
    }

    public func freeze() {
        for one in all { kill(one, SIGSTOP) }
    }

    public func wake() {
        for one in all { kill(one, SIGCONT) }
    }

    /// Its processes: one per connection, and some of its own.
    private var all: [pid_t] {
        guard let list = fopen("/proc/\(process)/task/\(process)/children", "r") else { return [process] }
        defer { fclose(list) }
        var text = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&text, 1, text.count, list)
        return [process]
            + String(decoding: text[..<count], as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
    }

    private static func spawn(_ words: [String]) -> pid_t? {
        Subprocess.spawn(["/usr/bin/setpriv"] + user + words)
    }
}
