import Addresses
import Glibc

extension PostgresAddress {
    /// What libpq is told (34.1.2). What it would do before it returns is left out: it looks no name up, and asks no Kerberos
    /// for encryption. A server that only reads, as a standby does, is none.
    ///
    /// - Parameter digits: the address of the host; nil for a socket in a folder.
    func settings(digits: String?) -> [(key: String?, value: String?)] {
        let settings: [(key: String, value: String?)] = [
            ("host", host), ("hostaddr", digits ?? ""), ("port", "\(port)"), ("user", user), ("password", password),
            ("dbname", database), ("sslmode", sslmode), ("sslrootcert", authorities),
            ("gssencmode", "disable"), ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
            ("application_name", "tessera"),
            // One that is gone without a word is found out.
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ]
        return settings.compactMap { setting in setting.value.map { (setting.key, $0) } }
    }

    /// Nil where `PGSSLMODE` says it. What nobody says is that a password does not go over a network in clear text.
    private var sslmode: String? {
        if let encryption { return encryption.rawValue }
        guard getenv("PGSSLMODE") == nil else { return nil }
        return (isOnThisMachine ? Encryption.prefer : .require).rawValue
    }

    private var isOnThisMachine: Bool {
        host.hasPrefix("/") || host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}
