import BlockingIO
import Origins
import Renditions

/// Why a load ended without content.
public struct LoadFailure: Error, Hashable, Sendable {
    /// The HTTP status that fits (RFC 9110 §15).
    public let status: Int
    /// The message for people. It reveals nothing about the machine.
    public let publicMessage: String
    /// Details for the log only.
    public let logDetail: String
    /// How long to wait before a retry makes sense, if known; never longer than ``RetryAfter/longest``.
    public let retryAfter: Duration?
    /// Whether a retry would fail in the same way, so that the failure is remembered for a while.
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
            retryAfter: Self.delay(after: error.reason), isPermanent: error.isPermanent)
    }

    private static func delay(after reason: RenderError.Reason) -> Duration? {
        switch reason {
        case .sourceHangs: .seconds(10)
        case .waitedTooLong: .seconds(5)
        default: nil
        }
    }

    init(_ failure: BlockingPool.Failure) {
        switch failure {
        case .hangs: self = .hungDisk
        case .neverBegan: self = .overloaded
        case .stopped: self = .shuttingDown
        }
    }

    /// The origin returned no image or no response, so another node would not succeed either.
    var isOfOrigin: Bool { status == 502 || status == 504 }

    /// The disk that holds a local file, or a cache, did not answer in time.
    public static let hungDisk = LoadFailure(
        status: 504, publicMessage: "The disk that holds this picture is not responding.", retryAfter: .seconds(10))

    /// Whether the failure is ``hungDisk``, whoever detected it.
    public var isHungDisk: Bool { status == 504 && publicMessage == Self.hungDisk.publicMessage }

    /// More urgent loads, or too many loads, kept this one from beginning. It may succeed later.
    public static let overloaded = LoadFailure(
        status: 503, publicMessage: "The server is overloaded at the moment.", retryAfter: .seconds(1))

    static let tooManyWaiting = LoadFailure(
        status: 429, publicMessage: "Too many of your requests are waiting.",
        logDetail: "the limit of one client", retryAfter: .seconds(1))

    static let shuttingDown = LoadFailure(status: 503, publicMessage: "The server is shutting down.")

    static func unreadable(_ detail: String) -> LoadFailure {
        LoadFailure(status: 500, publicMessage: "The picture could not be read.", logDetail: detail)
    }

    /// A disk, server or process could not do it now, but may in a moment.
    static func notNow(_ detail: String) -> LoadFailure {
        LoadFailure(
            status: 503, publicMessage: "The picture's file cannot be read at the moment.", logDetail: detail,
            retryAfter: .seconds(5))
    }

    static let changing = LoadFailure(
        status: 503, publicMessage: "The picture is changing while it is being read.", retryAfter: .seconds(1))
}
