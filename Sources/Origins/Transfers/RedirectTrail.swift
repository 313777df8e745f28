/// The way that one attempt has come. Each hop is checked here; the address it leads to is checked once more when its
/// socket is opened.
struct RedirectTrail: Sendable {
    private(set) var current: OriginURL
    private var visited: Set<String>
    private let maximum: Int

    init(from start: OriginURL, maximum: Int) {
        current = start
        visited = [start.text]
        self.maximum = maximum
    }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Goes where `location` leads.
    ///
    /// Refused are a missing or unreadable location, one that is not http or https or bears credentials, one that was
    /// visited already, one hop too many, and a step from https to http: what an operator listed as secure is not to
    /// be read or replaced by whoever sits on the line.
    mutating func follow(_ location: String?) throws(OriginError) {
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
        guard visited.insert(next.text).inserted else { throw refusal("redirects in a circle at \(next.loggable)") }
        current = next
    }

    private func refusal(_ why: String) -> OriginError { OriginError(.redirect, logDetail: why) }
}
