/// Why an original could not be rendered.
public struct RenderError: Error, Hashable, Sendable {
    /// The raw value is its number in a worker's answer.
    public enum Reason: UInt8, CaseIterable, Sendable {
        /// There are no bytes.
        case empty = 1
        /// The bytes are something else: a web page, a text, a film.
        case notAnImage
        /// A picture of a kind that this build does not decode.
        case unsupported
        /// The magic number says one thing and the decoder another.
        case disagreement
        /// More frames or bytes than are allowed, or more memory needed than a picture may have.
        case tooLarge
        /// The picture ends before anything of it can be shown.
        case truncated
        /// The picture breaks the rules of its format.
        case damaged
        /// The picture was not wanted any more.
        case stopped
        /// The bytes could not be read from where they are kept.
        case unreadable
        /// The program is at fault and not the picture.
        case failed
        /// The decoder was refused memory, or died for want of it.
        case tooMuchMemory
        /// The picture made its decoder crash, twice.
        case decoderDied
        /// The picture was not done when its time was over.
        case tookTooLong
        /// No worker could be started, or none may be.
        case unavailable
    }

    public let reason: Reason
    /// For people; it tells nothing of the machine.
    public let publicMessage: String
    /// For the log alone.
    public let logDetail: String
    /// What the original's file was like when the visit had ended, where that is known.
    public var source: SourceStatus?

    public init(_ reason: Reason, _ publicMessage: String, logDetail: String = "") {
        self.reason = reason
        self.publicMessage = publicMessage
        self.logDetail = logDetail
    }

    /// Whether the same bytes will fail again in the same way.
    public var isPermanent: Bool {
        switch reason {
        case .empty, .notAnImage, .unsupported, .disagreement, .tooLarge, .truncated, .damaged, .tooMuchMemory,
            .decoderDied, .tookTooLong:
            true
        case .stopped, .unreadable, .failed, .unavailable: false
        }
    }

    /// Whether the original itself is a picture, though it could not be shown: it may be had as it is.
    public var isOfPicture: Bool {
        switch reason {
        case .tooLarge, .truncated, .damaged, .tooMuchMemory, .decoderDied, .tookTooLong: true
        case .empty, .notAnImage, .unsupported, .disagreement, .stopped, .unreadable, .failed, .unavailable: false
        }
    }

    /// The HTTP status that fits (RFC 9110 §15): 415 for what is no picture or none of a known kind, 422 for a picture
    /// that cannot be shown, 503 for what may pass, 500 for the rest.
    public var status: Int {
        switch reason {
        case .notAnImage, .unsupported, .disagreement: 415
        case .empty, .tooLarge, .truncated, .damaged, .tooMuchMemory, .decoderDied, .tookTooLong: 422
        case .stopped, .unavailable: 503
        case .unreadable, .failed: 500
        }
    }
}

extension RenderError {
    public static func decoderDied(_ detail: String) -> RenderError {
        RenderError(.decoderDied, "This picture makes its decoder fail, so it cannot be shown.", logDetail: detail)
    }

    public static func tookTooLong(_ detail: String) -> RenderError {
        RenderError(.tookTooLong, "This picture takes too long to draw, so it is not shown.", logDetail: detail)
    }

    public static func tooMuchMemory(limit: Int64, _ detail: String) -> RenderError {
        RenderError(
            .tooMuchMemory, "This picture needs more memory than a picture may have (\(limit >> 20) MB).",
            logDetail: detail)
    }

    public static func unavailable(_ detail: String) -> RenderError {
        RenderError(.unavailable, "Pictures cannot be decoded at the moment.", logDetail: detail)
    }
}

extension RenderError: CustomStringConvertible {
    public var description: String {
        logDetail.isEmpty ? "\(reason): \(publicMessage)" : "\(reason): \(publicMessage) (\(logDetail))"
    }
}
