/// A URL that says where a server is and how it lets one in: `scheme://user:password@host:port/path?name=value`.
public struct ServerURL: Hashable, Sendable {
    /// In lower case.
    public let scheme: String
    /// Nil where there is none, or an empty one.
    public let user: String?
    public let password: String?
    /// A name or an address, of one of IPv6 without its brackets; may be empty.
    public let host: String
    public let port: UInt16?
    /// What stands behind the host, without its slash.
    public let path: String
    /// What stands behind the question mark; nil where there is none.
    public let query: String?

    /// What of a text cannot be read. Says nothing of the text, which may have a password in it.
    public enum Fault: Error, Hashable, Sendable {
        case shape, credentials, host, port

        /// What is wrong, in words.
        ///
        /// - Parameter form: how such a URL is written.
        public func reason(_ form: String) -> String {
            switch self {
            case .shape: "say \(form)"
            case .credentials:
                "user and password cannot be read; encode what is not a letter or a digit"
            case .host: "the host cannot be read"
            case .port: "the port cannot be read"
            }
        }
    }

    /// - Throws: the first ``Fault``.
    public init(_ text: String) throws(Fault) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw .shape }
        scheme = text[..<colon].lowercased()
        var rest = text[colon...].dropFirst(3)
        guard !rest.contains("#") else { throw .shape }
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

    private static func credentials(_ text: Substring) throws(Fault) -> (user: String?, password: String?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = decoded(parts[0]), let password = parts.count == 2 ? decoded(parts[1]) : "" else {
            throw .credentials
        }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func endpoint(_ text: Substring) throws(Fault) -> (String, UInt16?) {
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

    /// Undoes percent-encoding (RFC 3986 §2.1); nil for what is no text then, or has a nought in it.
    public static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
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
