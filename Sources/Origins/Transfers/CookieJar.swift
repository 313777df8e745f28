import Time

/// The cookies that the responses of one redirect chain have set (RFC 6265): some origins redirect to the same URL and
/// answer only a request that brings the cookie back. A jar ends with its chain, so no cookie connects two fetches.
///
/// Stricter than the RFC, a cookie is sent to no other host than the one that set it, whatever its `Domain` says.
struct CookieJar: Hashable, Sendable {
    private struct Cookie: Hashable, Sendable {
        var name: String
        var value: String
        var host: String
        var path: String
        var isSecure: Bool
    }

    static let maximumCount = 20
    /// The maximum length of a name with its value, in bytes.
    static let maximumBytes = 4096

    private var cookies: [Cookie] = []

    /// Takes the `Set-Cookie` fields of a response (RFC 6265 §5.2, §5.3). Ignores those that are malformed or too long.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    mutating func take(_ fields: [String], from url: OriginURL, now: Int64) {
        for field in fields {
            let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
            guard let sign = parts[0].firstIndex(of: "=") else { continue }
            var cookie = Cookie(
                name: parts[0][..<sign].trimmed, value: parts[0][parts[0].index(after: sign)...].trimmed,
                host: url.origin.host, path: Self.defaultPath(of: url.path), isSecure: false)
            guard !cookie.name.isEmpty, parts[0].utf8.count <= Self.maximumBytes,
                parts[0].utf8.allSatisfy({ (0x20...0x7e).contains($0) })
            else { continue }
            var expires: Int64?
            var lifetime: Int64?
            var isOfHost = true
            for part in parts.dropFirst() {
                let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
                let value = words.count > 1 ? words[1] : ""
                switch words[0].lowercased() {
                case "path": cookie.path = Self.isPath(value) ? value : Self.defaultPath(of: url.path)
                case "secure": cookie.isSecure = true
                case "domain": isOfHost = Self.covers(value.lowercased(), cookie.host)
                case "expires": expires = HTTPDate(value)?.seconds ?? expires
                case "max-age": lifetime = Int64(value) ?? lifetime
                default: break
                }
            }
            guard isOfHost, url.origin.isSecure || !cookie.isSecure else { continue }
            let isExpired = lifetime.map { $0 <= 0 } ?? expires.map { $0 <= now } ?? false
            set(cookie, isExpired: isExpired)
        }
    }

    /// The value of the `Cookie` field of a request (RFC 6265 §5.4); nil if it must have none.
    func field(for url: OriginURL) -> String? {
        let sent = cookies.filter { cookie in
            cookie.host == url.origin.host && (url.origin.isSecure || !cookie.isSecure)
                && Self.matches(url.path, cookie.path)
        }
        // Longer paths first; the sort is stable, so that others stay in the order of their creation.
        let sorted = sent.sorted { $0.path.utf8.count > $1.path.utf8.count }
        return sent.isEmpty ? nil : sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private mutating func set(_ cookie: Cookie, isExpired: Bool) {
        let old = cookies.firstIndex { $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path }
        switch (old, isExpired) {
        case (let old?, true): cookies.remove(at: old)
        case (let old?, false): cookies[old] = cookie
        case (nil, false) where cookies.count < Self.maximumCount: cookies.append(cookie)
        case (nil, _): break
        }
    }

    /// Whether a `Domain` names the host or a domain that contains it (§5.1.3). An empty one counts as absent.
    private static func covers(_ domain: String, _ host: String) -> Bool {
        let domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
        return domain.isEmpty || host == domain || host.hasSuffix("." + domain)
    }

    /// The path up to its last slash (§5.1.4).
    private static func defaultPath(of path: Substring) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a `Path` counts (§5.2.4). One that is not in printable ASCII cannot be that of a URL.
    private static func isPath(_ value: String) -> Bool {
        value.utf8.first == UInt8(ascii: "/") && value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// Compares bytes (§5.1.4): characters that Unicode regards as equal, such as K and the Kelvin sign, differ in length.
    private static func matches(_ path: Substring, _ prefix: String) -> Bool {
        guard path.utf8.starts(with: prefix.utf8) else { return false }
        let rest = path.utf8.dropFirst(prefix.utf8.count).first
        return rest == nil || rest == UInt8(ascii: "/") || prefix.utf8.last == UInt8(ascii: "/")
    }
}
