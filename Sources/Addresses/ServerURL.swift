import Encodings

/// The address and credentials of a server, as a URL: `scheme://user:password@host:port/path?name=value`.
public struct ServerURL: Hashable, Sendable {
    /// In lower case.
    public let scheme: String
    /// Nil if it is missing or empty.
    public let user: String?
    public let password: String?
    /// A name or an address (IPv6 without brackets); may be empty.
    public let host: String
    public let port: UInt16?
    /// The part after the host, without its slash.
    public let path: String
    /// The part after the question mark; nil if there is none.
    public let query: String?

    /// Why a text is no such URL. It repeats nothing of the text, which may have a password in it.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }

        public static let credentials = Invalid(
            "the user name or password cannot be parsed; percent-encode all but letters and digits")
        public static let host = Invalid("the host cannot be parsed")
        public static let port = Invalid("the port cannot be parsed")
    }

    /// - Parameter form: How such a URL is written, for the error about a text that is not one.
    /// - Throws: ``Invalid`` for the first part that cannot be read.
    public init(_ text: String, form: String = "SCHEME://HOST") throws(Invalid) {
        let shape = Invalid("say \(form)")
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw shape }
        scheme = text[..<colon].lowercased()
        var rest = text[colon...].dropFirst(3)
        guard !rest.contains("#") else { throw shape }
        let mark = rest.firstIndex(of: "?")
        query = mark.map { String(rest[$0...].dropFirst()) }
        rest = rest[..<(mark ?? rest.endIndex)]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        path = String(rest[slash...].dropFirst())
        rest = rest[..<slash]
        if let at = rest.lastIndex(of: "@") {
            (user, password) = try Self.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        } else {
            (user, password) = (nil, nil)
        }
        (host, port) = try Self.endpoint(rest)
    }

    private static func credentials(_ text: Substring) throws(Invalid) -> (user: String?, password: String?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = PercentEncoding.decode(parts[0].utf8),
            let password = parts.count == 2 ? PercentEncoding.decode(parts[1].utf8) : ""
        else { throw .credentials }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func endpoint(_ text: Substring) throws(Invalid) -> (String, UInt16?) {
        var host = text
        var port: Substring?
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !host.contains(where: { "[]@".contains($0) })
        else { throw .host }
        guard let port else { return (String(host), nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            throw .port
        }
        return (String(host), number)
    }

    /// `host:port`, an address of IPv6 in brackets (RFC 3986 §3.2).
    public static func authority(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
