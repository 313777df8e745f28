import Addresses

/// Where a server is and how it lets one in, as a URL says it: `redis://user:password@host:port/database`.
///
/// What it is written as, in a log or in an error, has neither user nor password.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address; of one of IPv6 without its brackets.
    public let host: String
    public let port: UInt16
    /// Nil for the default user.
    public let user: String?
    public let password: String?
    public let database: Int

    /// Why a text is no address. Says nothing of the text, which may have a password in it.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Reads a URL as the provisional registration of the scheme `redis` has it.
    ///
    /// - Throws: ``Invalid`` that tells what is wrong.
    public init(_ text: String) throws(Invalid) {
        let url: ServerURL
        do throws(ServerURL.Fault) {
            url = try ServerURL(text)
        } catch {
            throw Invalid(error)
        }
        switch url.scheme {
        case "redis": break
        case "rediss": throw Invalid(description: "this build speaks no TLS to Redis; put a tunnel in between")
        default: throw Invalid(.shape)
        }
        guard url.query == nil else { throw Invalid(description: "a query is not known") }
        guard !url.host.isEmpty else { throw Invalid(.host) }
        guard url.user == nil || url.password != nil else { throw Invalid(.credentials) }
        (host, port, user, password) = (url.host, url.port ?? 6379, url.user, url.password)
        database = try Self.database(url.path)
    }

    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "redis://\(host):\(port)" + (database == 0 ? "" : "/\(database)")
    }

    private static func database(_ text: String) throws(Invalid) -> Int {
        guard !text.isEmpty else { return 0 }
        guard text.utf8.count <= 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Invalid(description: "the database is a number")
        }
        return number
    }
}

extension RedisAddress.Invalid {
    fileprivate init(_ fault: ServerURL.Fault) {
        self.init(description: fault.reason("redis://HOST:PORT"))
    }
}
