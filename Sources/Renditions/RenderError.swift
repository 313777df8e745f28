/// Why an original could not be rendered.
public struct RenderError: Error, Hashable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        /// There are no bytes.
        case empty
        /// The bytes are something else: a web page, a text, a film.
        case notAnImage
        /// A picture of a kind that this build does not decode.
        case unsupported
        /// The magic number says one thing and the decoder another.
        case disagreement
        /// More pixels, frames or bytes than are allowed.
        case tooLarge
        /// The picture ends before its pixels do.
        case truncated
        /// The picture breaks the rules of its format.
        case damaged
        /// `RenderStop.stop()` was called.
        case stopped
        /// The bytes could not be read from where they are kept.
        case unreadable
        /// The program is at fault and not the picture.
        case failed
    }

    public let reason: Reason
    /// For people; it tells nothing of the machine.
    public let publicMessage: String
    /// For the log alone.
    public let logDetail: String

    public init(_ reason: Reason, _ publicMessage: String, logDetail: String = "") {
        self.reason = reason
        self.publicMessage = publicMessage
        self.logDetail = logDetail
    }

    /// Whether the same bytes will fail again in the same way.
    public var isPermanent: Bool {
        switch reason {
        case .empty, .notAnImage, .unsupported, .disagreement, .tooLarge, .truncated, .damaged: true
        case .stopped, .unreadable, .failed: false
        }
    }

    /// The HTTP status that fits (RFC 9110 §15): 415 for what is no picture or none of a known kind, 422 for a picture
    /// that cannot be shown, 503 for what was stopped, 500 for the rest.
    public var status: Int {
        switch reason {
        case .notAnImage, .unsupported, .disagreement: 415
        case .empty, .tooLarge, .truncated, .damaged: 422
        case .stopped: 503
        case .unreadable, .failed: 500
        }
    }
}

extension RenderError: CustomStringConvertible {
    public var description: String {
        logDetail.isEmpty ? "\(reason): \(publicMessage)" : "\(reason): \(publicMessage) (\(logDetail))"
    }
}
