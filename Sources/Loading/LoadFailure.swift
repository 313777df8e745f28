import Origins
import Renditions

/// Why a load ended without content.
public struct LoadFailure: Error, Hashable, Sendable {
    /// The HTTP status that fits (RFC 9110 §15).
    public let status: Int
    /// For people; it tells nothing of the machine.
    public let publicMessage: String
    /// For the log alone.
    public let logDetail: String
    /// How long to wait before asking again is of use, if that is known; never longer than ``RetryAfter/longest``.
    public let retryAfter: Duration?
    /// Whether asking again would fail in the same way, so that the failure is remembered for a while.
    public let isPermanent: Bool

    public init(
        status: Int, publicMessage: String, logDetail: String = "", retryAfter: Duration? = nil,
        isPermanent: Bool = false
    ) {
        self.status = status
        self.publicMessage = publicMessage
        self.logDetail = logDetail
        self.retryAfter = retryAfter.map(RetryAfter.bounded)
        self.isPermanent = isPermanent
    }

    init(_ error: OriginError) {
        self.init(
            status: error.status, publicMessage: error.publicMessage, logDetail: error.logDetail,
            retryAfter: error.retryAfter, isPermanent: !error.isTransient)
    }

    init(_ error: RenderError) {
        self.init(
            status: error.status, publicMessage: error.publicMessage, logDetail: error.description,
            isPermanent: error.isPermanent)
    }

    /// An origin gave no picture, or no answer; another machine would fare no better with it.
    var isOfOrigin: Bool { status == 502 || status == 504 }

    static let overloaded = LoadFailure(
        status: 503, publicMessage: "The server has too much to do at the moment.", retryAfter: .seconds(1))

    static let tooManyWaiting = LoadFailure(
        status: 429, publicMessage: "You wait for too many pictures already.",
        logDetail: "the bound of one client", retryAfter: .seconds(1))

    static let shuttingDown = LoadFailure(status: 503, publicMessage: "The server is shutting down.")

    static func unreadable(_ detail: String) -> LoadFailure {
        LoadFailure(status: 500, publicMessage: "The picture could not be read.", logDetail: detail)
    }

    /// The disk, its server or this process was not able to; it may be in a moment.
    static func notNow(_ detail: String) -> LoadFailure {
        LoadFailure(
            status: 503, publicMessage: "The picture's file cannot be read now.", logDetail: detail,
            retryAfter: .seconds(5))
    }

    static let changing = LoadFailure(
        status: 503, publicMessage: "The picture changes while it is read.", retryAfter: .seconds(1))
}
