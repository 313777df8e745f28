public import Addresses

/// The address and credentials of a Redis server, as a URL: `redis://user:password@host:port/database`.
///
/// The description, used in logs and errors, contains neither user nor password.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address (IPv6 without brackets).
    public let host: String
    public let port: UInt16
    /// Nil for the default user.
    public let user: String?
    public let password: String?
    public let database: Int

    public typealias Invalid = ServerURL.Invalid

    private static let form = "redis://HOST:PORT"

    /// Reads a URL as the provisional registration of the scheme `redis` has it.
    ///
    /// - Throws: ``Invalid`` that tells what is wrong.
    public init(_ text: String) throws(Invalid) {
        // The comma may also be part of a password.
        guard !text[(text.lastIndex(of: "@") ?? text.startIndex)...].contains(",") else {
            throw Invalid("give one server; several addresses are not supported")
        }
        let url = try ServerURL(text, form: Self.form)
        switch url.scheme {
        case "redis": break
        case "rediss": throw Invalid("TLS to Redis is not supported; use a tunnel")
        default: throw Invalid("say \(Self.form)")
        }
        guard url.query == nil else { throw Invalid("a query is not supported") }
        guard !url.host.isEmpty else { throw .host }
        guard url.user == nil || url.password != nil else { throw .credentials }
        (host, port, user, password) = (url.host, url.port ?? 6379, url.user, url.password)
        database = try Self.database(url.path)
    }

    public var description: String {
        "redis://\(ServerURL.authority(host, port))" + (database == 0 ? "" : "/\(database)")
    }

    private static func database(_ text: String) throws(Invalid) -> Int {
        guard !text.isEmpty else { return 0 }
        guard text.utf8.count <= 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Invalid("the database must be a number")
        }
        return number
    }
}
