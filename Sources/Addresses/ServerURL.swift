import Encodings

/// The address and credentials of a server, as a URL: `scheme://user:password@host:port/path?name=value`. A server with
/// replicas may have several hosts, separated by commas.
public struct ServerURL: Hashable, Sendable {
    /// In lower case.
    public let scheme: String
    /// Nil if it is missing or empty.
    public let user: String?
    public let password: String?
    /// At least one.
    public let hosts: [Host]
    /// The part after the hosts, without its slash.
    public let path: String
    /// The part after the question mark; nil if there is none.
    public let query: String?

    public struct Host: Hashable, Sendable {
        /// A name or an address (IPv6 without brackets); may be empty.
        public let name: String
        public let port: UInt16?

        public init(name: String, port: UInt16?) {
            self.name = name
            self.port = port
        }
    }

    /// The first host's name.
    public var host: String { hosts[0].name }
    /// The first host's port.
    public var port: UInt16? { hosts[0].port }

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
        // A loop, as `map` does not pass on what kind of error it is.
        var hosts: [Host] = []
        for host in rest.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try Self.host(host))
        }
        guard hosts.count == 1 || hosts.allSatisfy({ !$0.name.isEmpty }) else { throw .host }
        self.hosts = hosts
    }

    /// The decoded values of the query, by their names.
    ///
    /// - Parameter known: The names that may be given, each once, in the order in which the error tells them.
    /// - Throws: ``Invalid`` if another name is given, or one twice or without a value.
    public func parameters(_ known: [String]) throws(Invalid) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in query?.split(separator: "&") ?? [] {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(words[0])
            guard known.contains(name), words.count == 2, let value = PercentEncoding.decode(words[1].utf8),
                !value.isEmpty, parameters.updateValue(value, forKey: name) == nil
            else {
                guard !known.isEmpty else { throw Invalid("a query is not supported") }
                let list = known.joined(separator: ", ")
                throw Invalid("the supported parameters are \(list), each at most once, with a value")
            }
        }
        return parameters
    }

    private static func credentials(_ text: Substring) throws(Invalid) -> (user: String?, password: String?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = PercentEncoding.decode(parts[0].utf8),
            let password = parts.count == 2 ? PercentEncoding.decode(parts[1].utf8) : ""
        else { throw .credentials }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func host(_ text: Substring) throws(Invalid) -> Host {
        var host = text
        var port: Substring?
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard isHost(host) else { throw .host }
        guard let port else { return Host(name: String(host), port: nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            throw .port
        }
        return Host(name: String(host), port: number)
    }

    /// Whether a text may be the name or the address of a host (IPv6 without brackets), or is empty.
    public static func isHost(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= 253 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
            && !text.contains { "[]@".contains($0) }
    }

    /// `host:port`, an address of IPv6 in brackets (RFC 3986 §3.2).
    public static func authority(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
