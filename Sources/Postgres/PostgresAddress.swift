import Addresses

/// Where a PostgreSQL is and how it lets one in, as a URL says it:
/// `postgres://user:password@host:port/database?sslmode=verify-full`.
///
/// What it is written as, in a log or in an error, has neither user nor password. What the URL leaves out, libpq takes from
/// where it always does: `PGPASSWORD`, the file of passwords, the name of the process' user.
public struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an address (of IPv6 without its brackets), or the folder of a socket, which begins with a slash.
    public let host: String
    public let port: UInt16
    public let user: String?
    public let password: String?
    /// Nil for the one that is called as the user is.
    public let database: String?
    /// Whether the server must speak TLS, and prove who it is (libpq, 34.19.3). Nil is what `PGSSLMODE` says, or else
    /// `require`, and `prefer` on this machine.
    public let encryption: Encryption?
    /// The file of the certificate authorities that are believed; nil for libpq's own choice.
    public let authorities: String?

    /// `sslmode`.
    public enum Encryption: String, Hashable, Sendable, CaseIterable {
        case disable, allow, prefer, require
        case verifyAuthority = "verify-ca"
        case verifyHost = "verify-full"
    }

    /// Why a text is no address. Says nothing of the text, which may have a password in it.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Reads a connection URI of libpq (34.1.1.2), with these of its parameters: `host` for the folder of a socket, `sslmode`,
    /// `sslrootcert`.
    ///
    /// - Throws: ``Invalid`` that tells what is wrong.
    public init(_ text: String) throws(Invalid) {
        let url: ServerURL
        do throws(ServerURL.Fault) {
            url = try ServerURL(text)
        } catch {
            throw Invalid(error)
        }
        guard ["postgres", "postgresql"].contains(url.scheme) else { throw Invalid(.shape) }
        let asked = try Self.parameters(url.query)
        switch (url.host, asked["host"]) {
        case ("", let folder?) where folder.hasPrefix("/") && folder.utf8.count < 100: host = folder
        case (let name, nil) where !name.isEmpty: host = name
        default: throw Invalid(.host)
        }
        guard let database = ServerURL.decoded(url.path), !database.contains("/"), database.utf8.count < 64 else {
            throw Invalid(description: "the database's name cannot be read")
        }
        let encryption = asked["sslmode"].flatMap(Encryption.init(rawValue:))
        guard encryption != nil || asked["sslmode"] == nil else {
            let known = Encryption.allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid(description: "sslmode is one of \(known)")
        }
        self.database = database.isEmpty ? nil : database
        self.encryption = encryption
        authorities = asked["sslrootcert"]
        (port, user, password) = (url.port ?? 5432, url.user, url.password)
    }

    public var description: String {
        let database = database.map { "/" + $0 } ?? ""
        guard !host.hasPrefix("/") else { return "postgres://\(database)?host=\(host)" }
        return "postgres://\(host.contains(":") ? "[\(host)]" : host):\(port)\(database)"
    }

    private static func parameters(_ query: String?) throws(Invalid) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in query?.split(separator: "&") ?? [] {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(words[0])
            guard ["host", "sslmode", "sslrootcert"].contains(name), words.count == 2,
                let value = ServerURL.decoded(words[1]), !value.isEmpty,
                parameters.updateValue(value, forKey: name) == nil
            else { throw Invalid(description: "of parameters, host, sslmode and sslrootcert are known, each once") }
        }
        return parameters
    }
}

extension PostgresAddress.Invalid {
    fileprivate init(_ fault: ServerURL.Fault) {
        self.init(description: fault.reason("postgres://USER:PASSWORD@HOST:PORT/DATABASE"))
    }
}
