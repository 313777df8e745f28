import Glibc

/// The redirects that one attempt has followed, and the cookies that they have set. Each hop is checked here; its
/// address is checked again when its socket is opened.
struct RedirectChain: Sendable {
    private(set) var current: OriginURL
    private var jar = CookieJar()
    private var visited: Set<Visit>
    private let maximum: Int

    /// A request of the chain. Repeating one with the same cookies is a loop.
    private struct Visit: Hashable {
        let url: String
        let cookies: String?
    }

    init(from start: OriginURL, maximum: Int) {
        current = start
        visited = [Visit(url: start.text, cookies: nil)]
        self.maximum = maximum
    }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The value of the `Cookie` field for the current URL; nil for none.
    var cookies: String? { jar.field(for: current) }

    /// Follows a redirect to `location`.
    ///
    /// It refuses a missing or malformed location; one that is not http or https, or contains credentials; one that was
    /// already visited with the same cookies; one hop too many; and a step from https to http, because content that the
    /// operator listed as secure must not be readable or replaceable on the way.
    ///
    /// - Parameter fields: The response's `Set-Cookie` fields.
    mutating func follow(_ location: String?, setting fields: [String] = []) throws(OriginError) {
        guard let location else { throw refusal("redirect without a location at \(current.loggable)") }
        guard visited.count <= maximum else {
            throw refusal("more than \(maximum) redirects, the last at \(current.loggable)")
        }
        let next: OriginURL
        do {
            next = try current.resolving(location)
        } catch {
            throw refusal("redirect from \(current.loggable): \(error.logDetail)")
        }
        guard next.origin.isSecure || !current.origin.isSecure else {
            throw refusal("redirect from https to http at \(current.loggable)")
        }
        jar.take(fields, from: current, now: Int64(time(nil)))
        guard visited.insert(Visit(url: next.text, cookies: jar.field(for: next))).inserted else {
            throw refusal("a redirect loop at \(next.loggable)")
        }
        current = next
    }

    private func refusal(_ why: String) -> OriginError { OriginError(.redirect, logDetail: why) }
}
