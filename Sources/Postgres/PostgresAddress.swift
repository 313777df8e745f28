public import Addresses
import Encodings

/// The address and credentials of a PostgreSQL server, as a URL:
/// `postgres://user:password@host:port/database?sslmode=verify-full`.
///
/// The description, used in logs and errors, contains neither user nor password. For anything that the URL leaves out,
/// libpq uses its usual defaults: `PGPASSWORD`, the password file, the name of the process's user.
public struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an address (IPv6 without brackets), or the directory of a Unix socket, which begins with a slash.
    public let host: String
    public let port: UInt16
    public let user: String?
    public let password: String?
    /// Nil for the database named like the user.
    public let database: String?
    /// Whether the server must use TLS and prove its identity (libpq, 34.19.3). Nil for the value of `PGSSLMODE`, or if
    /// that is not set, `prefer` on this machine and `require` elsewhere.
    public let encryption: Encryption?
    /// The file with the trusted certificate authorities; nil for libpq's default.
    public let authorities: String?

    /// `sslmode`.
    public enum Encryption: String, Hashable, Sendable, CaseIterable {
        case disable, allow, prefer, require
        case verifyAuthority = "verify-ca"
        case verifyHost = "verify-full"
    }

    public typealias Invalid = ServerURL.Invalid

    private static let form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"

    /// Reads a connection URI of libpq (34.1.1.2), with these of its parameters: `host` for the folder of a socket, `sslmode`,
    /// `sslrootcert`.
    ///
    /// - Throws: ``Invalid`` that tells what is wrong.
    public init(_ text: String) throws(Invalid) {
        let url = try ServerURL(text, form: Self.form)
        guard ["postgres", "postgresql"].contains(url.scheme) else { throw Invalid("say \(Self.form)") }
        guard url.hosts.count == 1 else { throw Invalid("give one server; several addresses are not supported") }
        let asked = try url.parameters(["host", "sslmode", "sslrootcert"])
        switch (url.host, asked["host"]) {
        case ("", let folder?) where folder.hasPrefix("/") && folder.utf8.count < 100: host = folder
        case (let name, nil) where !name.isEmpty: host = name
        default: throw .host
        }
        guard let database = PercentEncoding.decode(url.path.utf8), !database.contains("/"), database.utf8.count < 64
        else { throw Invalid("the database's name cannot be read") }
        let encryption = asked["sslmode"].flatMap(Encryption.init(rawValue:))
        guard encryption != nil || asked["sslmode"] == nil else {
            let known = Encryption.allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid("sslmode is one of \(known)")
        }
        self.database = database.isEmpty ? nil : database
        self.encryption = encryption
        authorities = asked["sslrootcert"]
        (port, user, password) = (url.port ?? 5432, url.user, url.password)
    }

    public var description: String {
        let database = database.map { "/" + $0 } ?? ""
        guard !host.hasPrefix("/") else { return "postgres://\(database)?host=\(host)" }
        return "postgres://\(ServerURL.authority(host, port))\(database)"
    }
}
