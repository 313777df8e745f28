/// A header field that the operator adds to the requests for pictures. Its description leaves out the value, which may
/// be a secret.
///
/// A field for one origin goes there only. A field without an origin goes to the origins that a source's URLs name, not
/// to others that redirects lead to.
public struct OriginHeader: Hashable, Sendable {
    public let name: String
    let value: String
    /// Nil for all origins that sources name.
    let origin: Origin?

    /// A text that is not such a field; the reason tells people what to do, without the value.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let reason: String

        public var description: String { reason }
    }

    private static let form = "write 'Name: value', or 'https://host Name: value' for a field for one origin only"
    private static let maximumBytes = 8192
    /// Fields that curl or this module sets, or that are about the connection (RFC 9110 §7.6.1).
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host",
        "http2-settings", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "keep-alive", "proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
    /// Fields that no origin may see unless it is named.
    private static let secret: Set<String> = ["authorization", "cookie"]

    /// Parses `Name: value`, preceded by an origin and a space if it is for that origin only.
    public init(_ text: String) throws(Invalid) {
        var field = text[...]
        var origin: Origin?
        if let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) {
            let word = field.prefix { $0 != " " }
            field = field.dropFirst(word.count)
            guard let url = try? OriginURL(String(word)), url.path == "/", !word.contains(where: { "?#".contains($0) })
            else {
                throw Invalid(reason: "after \(scheme), name a host, and a port if need be, but no path; \(Self.form)")
            }
            origin = url.origin
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw Invalid(reason: "a field may have at most \(Self.maximumBytes) bytes")
        }
        guard let colon = field.firstIndex(of: ":") else { throw Invalid(reason: Self.form) }
        name = String(field[..<colon].drop { $0 == " " })
        value = field[field.index(after: colon)...].trimmed
        self.origin = origin
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw Invalid(reason: "the name may contain letters, digits, and hyphens only; \(Self.form)")
        }
        // A URL of another scheme, rather than a field of this name.
        guard !value.hasPrefix("//") else { throw Invalid(reason: Self.form) }
        guard !value.isEmpty else { throw Invalid(reason: "\(name) has no value; \(Self.form)") }
        guard value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw Invalid(reason: "the value of \(name) must be printable ASCII in one line")
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw Invalid(reason: "\(name) is set by Tessera and cannot be changed")
        }
        guard origin != nil || !Self.secret.contains(name.lowercased()) else {
            throw Invalid(
                reason: "\(name) is a secret, so name the origin that may see it: 'https://host \(name): value'")
        }
    }

    /// Parses several.
    ///
    /// - Throws: ``Invalid``, also if two fields with the same name are for the same origins.
    public static func parse(_ texts: [String]) throws(Invalid) -> [OriginHeader] {
        var headers: [OriginHeader] = []
        for text in texts {
            let header = try OriginHeader(text)
            guard !headers.contains(where: { $0.origin == header.origin && $0.isNamed(like: header) }) else {
                throw Invalid(reason: "\(header.name) is given twice; remove one")
            }
            headers.append(header)
        }
        return headers
    }

    /// The fields for a request.
    ///
    /// - Parameters:
    ///   - target: The origin that gets the request.
    ///   - listed: The origin that the source's URL names, before any redirect.
    static func fields(_ headers: [OriginHeader], to target: Origin, listed: Origin) -> [OriginHeader] {
        let own = headers.filter { $0.origin == target }
        guard target.isHost(of: listed) else { return own }
        return own + headers.filter { header in header.origin == nil && !own.contains { $0.isNamed(like: header) } }
    }

    var line: String { "\(name): \(value)" }

    func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    private func isNamed(like other: OriginHeader) -> Bool { isNamed(other.name) }

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension OriginHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(name): …" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Origin {
    /// Whether this is the other origin, or the same host's secure one at the usual ports.
    fileprivate func isHost(of other: Origin) -> Bool {
        self == other || host == other.host && isSecure && port == 443 && !other.isSecure && other.port == 80
    }
}
