/// Why an original could not be rendered.
public struct RenderError: Error, Hashable, Sendable {
    /// The raw value is the reason's number in a worker's messages.
    public enum Reason: UInt8, CaseIterable, Sendable {
        /// The file is empty.
        case empty = 1
        /// The bytes are not an image but, say, a web page, a text or a film.
        case notAnImage
        /// An image in a format that this build does not decode.
        case unsupported
        /// The magic number and the decoder disagree on the format.
        case disagreement
        /// The image has too many frames or bytes, or needs more memory than one picture may use.
        case tooLarge
        /// The image ends before any of it can be shown.
        case truncated
        /// The image violates its format.
        case damaged
        /// The job was stopped because nobody needs the picture any more.
        case stopped
        /// The bytes could not be read from storage.
        case unreadable
        /// An internal error; not the picture's fault.
        case failed
        /// A decoder's allocation failed, or the decoder died for lack of memory.
        case tooMuchMemory
        /// The picture crashed its decoder twice.
        case decoderDied
        /// The picture was not finished before its deadline.
        case tookTooLong
        /// No worker could be started, or none may be.
        case unavailable
        /// The disk that holds the original did not answer in time.
        case sourceHangs
        /// More urgent jobs, or jobs that never end, kept it waiting for too long.
        case waitedTooLong
    }

    /// The kind of failure.
    public let reason: Reason
    /// Shown to people; reveals nothing about the machine.
    public let publicMessage: String
    /// Only for the log.
    public let logDetail: String
    /// The status of the original's file at the end of the job, if known.
    public var source: SourceStatus?

    public init(_ reason: Reason, _ publicMessage: String, logDetail: String = "") {
        self.reason = reason
        self.publicMessage = publicMessage
        self.logDetail = logDetail
    }

    /// Whether the same bytes will always fail in the same way.
    public var isPermanent: Bool {
        switch reason {
        case .empty, .notAnImage, .unsupported, .disagreement, .tooLarge, .truncated, .damaged, .tooMuchMemory,
            .decoderDied, .tookTooLong:
            true
        case .stopped, .unreadable, .failed, .unavailable, .sourceHangs, .waitedTooLong: false
        }
    }

    /// Whether the original is a picture even though it could not be shown, and so may be downloaded as it is.
    public var isOfPicture: Bool {
        switch reason {
        case .tooLarge, .truncated, .damaged, .tooMuchMemory, .decoderDied, .tookTooLong: true
        case .empty, .notAnImage, .unsupported, .disagreement, .stopped, .unreadable, .failed, .unavailable,
            .sourceHangs, .waitedTooLong:
            false
        }
    }

    /// The matching HTTP status (RFC 9110 §15): 415 for anything that is not a picture of a known format, 422 for a
    /// picture that can't be shown, 503 for temporary failures, 504 for a disk that does not answer, 500 for the rest.
    public var status: Int {
        switch reason {
        case .notAnImage, .unsupported, .disagreement: 415
        case .empty, .tooLarge, .truncated, .damaged, .tooMuchMemory, .decoderDied, .tookTooLong: 422
        case .stopped, .unavailable, .waitedTooLong: 503
        case .sourceHangs: 504
        case .unreadable, .failed: 500
        }
    }
}

extension RenderError {
    /// The picture crashed its decoder.
    public static func decoderDied(_ detail: String) -> RenderError {
        RenderError(.decoderDied, "This picture crashes its decoder, so it cannot be shown.", logDetail: detail)
    }

    /// The picture was not finished before its deadline.
    public static func tookTooLong(_ detail: String) -> RenderError {
        RenderError(.tookTooLong, "This picture takes too long to render, so it is not shown.", logDetail: detail)
    }

    /// Decoding needed more than `limit` bytes of memory.
    public static func tooMuchMemory(limit: Int64, _ detail: String) -> RenderError {
        RenderError(
            .tooMuchMemory, "This picture needs more memory than one picture may use (\(limit >> 20) MB).",
            logDetail: detail)
    }

    /// The disk that holds the original did not answer in time.
    public static func sourceHangs(_ detail: String) -> RenderError {
        RenderError(.sourceHangs, "The disk that holds this picture is not responding.", logDetail: detail)
    }

    /// The job waited in the queue for as long as it may run.
    public static let waitedTooLong = RenderError(
        .waitedTooLong, "Too many pictures are waiting to be rendered. Try again in a moment.")

    /// No worker is available.
    public static func unavailable(_ detail: String) -> RenderError {
        RenderError(.unavailable, "Pictures cannot be decoded at the moment.", logDetail: detail)
    }
}

extension RenderError: CustomStringConvertible {
    public var description: String {
        logDetail.isEmpty ? "\(reason): \(publicMessage)" : "\(reason): \(publicMessage) (\(logDetail))"
    }
}
