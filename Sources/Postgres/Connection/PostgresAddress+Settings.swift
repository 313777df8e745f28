import Addresses
import Glibc

extension PostgresAddress {
    /// The connection parameters for libpq (34.1.2). They rule out everything that libpq would block for: it looks up
    /// no name, and does not try GSSAPI encryption. A read-only server, such as a standby, does not count.
    ///
    /// - Parameter digits: The numeric address of the host; nil for a Unix socket.
    func settings(digits: String?) -> [(key: String?, value: String?)] {
        let settings: [(key: String, value: String?)] = [
            ("host", host), ("hostaddr", digits ?? ""), ("port", "\(port)"), ("user", user), ("password", password),
            ("dbname", database), ("sslmode", sslmode), ("sslrootcert", authorities),
            ("gssencmode", "disable"), ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
            ("application_name", "tessera"),
            // Detects a peer that disappeared silently.
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ]
        return settings.compactMap { setting in setting.value.map { (setting.key, $0) } }
    }

    /// Nil if `PGSSLMODE` is set. By default, passwords are never sent over a network in clear text.
    private var sslmode: String? {
        if let encryption { return encryption.rawValue }
        guard getenv("PGSSLMODE") == nil else { return nil }
        return (isOnThisMachine ? Encryption.prefer : .require).rawValue
    }

    private var isOnThisMachine: Bool {
        host.hasPrefix("/") || host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}
