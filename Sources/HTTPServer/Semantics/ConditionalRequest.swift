import HTTPTypes
import Time

/// The conditions of a request (RFC 9110 §13).
public struct ConditionalRequest: Sendable {
    /// What the conditions require.
    public enum Outcome: Hashable, Sendable {
        /// Perform the method.
        case proceed
        /// Respond with 304.
        case notModified
        /// Respond with 412.
        case preconditionFailed
    }

    private let isRead: Bool
    private let ifMatch: String?
    private let ifUnmodifiedSince: String?
    private let ifNoneMatch: String?
    private let ifModifiedSince: String?
    private let ifRange: String?

    /// Reads the conditions from a request's headers.
    public init(_ request: Request) {
        self.init(method: request.method) { request.headers[$0] }
    }

    init(method: HTTPRequest.Method, field: (HTTPField.Name) -> String?) {
        isRead = method == .get || method == .head
        ifMatch = field(.ifMatch)
        ifUnmodifiedSince = field(.ifUnmodifiedSince)
        ifNoneMatch = field(.ifNoneMatch)
        ifModifiedSince = field(.ifModifiedSince)
        ifRange = field(.ifRange)
    }

    /// Evaluates the conditions for an existing resource with these validators (RFC 9110 §13.2.2).
    public func evaluate(entityTag: EntityTag?, lastModified: HTTPDate?) -> Outcome {
        if let ifMatch {
            guard matches(ifMatch, { entityTag?.matchesStrongly($0) ?? false }) else { return .preconditionFailed }
        } else if let lastModified, let limit = ifUnmodifiedSince.flatMap({ HTTPDate($0) }) {
            guard lastModified <= limit else { return .preconditionFailed }
        }
        if let ifNoneMatch {
            guard matches(ifNoneMatch, { entityTag?.matchesWeakly($0) ?? false }) else { return .proceed }
            return isRead ? .notModified : .preconditionFailed
        }
        if isRead, let lastModified, let limit = ifModifiedSince.flatMap({ HTTPDate($0) }), lastModified <= limit {
            return .notModified
        }
        return .proceed
    }

    /// Whether the request's `Range` may be honoured (RFC 9110 §13.1.5): not if the client has part of an outdated
    /// representation.
    public func allowsRange(entityTag: EntityTag?, lastModified: HTTPDate?) -> Bool {
        guard let ifRange else { return true }
        if let tag = EntityTag(parsing: ifRange) { return entityTag?.matchesStrongly(tag) ?? false }
        guard let date = HTTPDate(ifRange) else { return false }
        return date == lastModified
    }

    private func matches(_ field: String, _ isMatch: (EntityTag) -> Bool) -> Bool {
        if field == "*" { return true }
        return EntityTag.list(field)?.contains(where: isMatch) ?? false
    }
}
