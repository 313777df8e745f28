import Glibc

/// A private Redis server on a free loopback port, which forgets everything when it ends. It can be killed, frozen and
/// restarted.
public final class RedisServer: @unchecked Sendable {
    // Sendable because a test calls it from one task at a time.
    public let port: UInt16
    private let options: [String]
    /// The certificate of a server that accepts connections with TLS only.
    private let certificate: TestCertificate?
    private var process: pid_t = -1

    private static let program = "/usr/bin/redis-server"
    public static let isInstalled = access(program, X_OK) == 0

    /// Nil if it does not start.
    ///
    /// - Parameters:
    ///   - certificate: If given, the server accepts connections with TLS only.
    ///   - options: Additional command-line arguments.
    public init?(certificate: TestCertificate? = nil, _ options: String...) async {
        self.options = options
        self.certificate = certificate
        port = Loopback.freePort()
        guard await start() else { return nil }
    }

    deinit {
        end()
        unlink(Self.folder + dump)
    }

    /// Where a replica puts the data that it receives from its master.
    private static let folder = "/tmp/"
    private var dump: String { "tessera-redis-\(port).rdb" }
    private var dumping: [String] { ["--dir", Self.folder, "--dbfilename", dump] }

    /// A URL of one that accepts connections without TLS.
    public var url: String { "redis://127.0.0.1:\(port)" }

    /// Where and how it listens.
    private var listening: [String] {
        guard let certificate else { return ["--port", "\(port)"] }
        return [
            "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", certificate.file, "--tls-key-file",
            certificate.key, "--tls-ca-cert-file", certificate.file, "--tls-auth-clients", "no",
        ]
    }

    /// Starts the server.
    ///
    /// - Returns: Whether it is listening.
    public func start() async -> Bool {
        let words =
            [Self.program, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"] + dumping + listening + options
        process = Subprocess.spawn(words) ?? -1
        guard process > 0 else { return false }
        let port = port
        return await eventually { Loopback.isListening(port) }
    }

    /// Kills the server, like a crash.
    public func end() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = -1
    }

    /// Returns once the process has stopped, because until then it still responds.
    public func freeze() {
        kill(process, SIGSTOP)
        waitpid(process, nil, WUNTRACED)
    }

    public func wake() { kill(process, SIGCONT) }

    /// Runs one command, as by hand.
    ///
    /// - Returns: The beginning of the reply; nil if there is none.
    public func run(_ command: String) -> String? { Self.run(command, port: port) }

    public static func run(_ command: String, port: UInt16) -> String? {
        let line = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(line) }
        var address = Loopback.address(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(line, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let words = Array((command + "\r\n").utf8)
        guard isConnected, send(line, words, words.count, Int32(MSG_NOSIGNAL)) == words.count else { return nil }
        var reply = [UInt8](repeating: 0, count: 1_024)
        let count = recv(line, &reply, reply.count, 0)
        return count > 0 ? String(decoding: reply.prefix(count), as: UTF8.self) : nil
    }
}
