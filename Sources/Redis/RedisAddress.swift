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
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw Invalid(description: "say redis://HOST:PORT")
        }
        switch text[..<colon].lowercased() {
        case "redis": break
        case "rediss": throw Invalid(description: "this build speaks no TLS to Redis; put a tunnel in between")
        default: throw Invalid(description: "say redis://HOST:PORT")
        }
        var rest = text[colon...].dropFirst(3)
        guard !rest.contains(where: { "?#".contains($0) }) else { throw Invalid(description: "a query is not known") }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        database = try Self.database(rest[slash...].dropFirst())
        rest = rest[..<slash]
        if let at = rest.lastIndex(of: "@") {
            (user, password) = try Self.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        } else {
            (user, password) = (nil, nil)
        }
        (host, port) = try Self.endpoint(rest)
    }

    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "redis://\(host):\(port)" + (database == 0 ? "" : "/\(database)")
    }

    private static func database(_ text: Substring) throws(Invalid) -> Int {
        guard !text.isEmpty else { return 0 }
        guard text.utf8.count <= 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Invalid(description: "the database is a number")
        }
        return number
    }

    private static func credentials(_ text: Substring) throws(Invalid) -> (user: String?, password: String?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let user = decoded(parts[0]), let password = decoded(parts[1]), !password.isEmpty else {
            throw Invalid(description: "user and password cannot be read; encode what is not a letter or a digit")
        }
        return (user.isEmpty ? nil : user, password)
    }

    private static func endpoint(_ text: Substring) throws(Invalid) -> (String, UInt16) {
        var host = text
        var port: Substring = "6379"
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !host.contains(where: { "[]@".contains($0) })
        else { throw Invalid(description: "the host cannot be read") }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            throw Invalid(description: "the port cannot be read")
        }
        return (String(host), number)
    }

    /// Undoes percent-encoding (RFC 3986 §2.1); nil for what is no text then, or has a nought in it.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16), value != 0 else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
