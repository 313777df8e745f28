import Accounts
import BlockingIO
import HTTPServer
import HTTPTypes
import Loading
import Redaction
import Scheduling

/// Removes from originals what the visitors of a share may not learn.
struct OriginalRedaction: Sendable {
    let keeping: Redactor.Keeping

    /// Reads originals for all galleries of the process.
    private static let pool = BlockingPool(label: "redaction", threads: 8, threadsPerGroup: 4)

    /// Nil for a request that may have originals as they are.
    init?(for request: Request) {
        guard !request.learns([.metadata, .place]) else { return nil }
        keeping = request.learns(.metadata) ? .metadata : .nothing
    }

    /// Whether originals of a format can be redacted.
    ///
    /// - Parameter mediaType: Nil if it is not known yet.
    func applies(to mediaType: String?) -> Bool { redactor(mediaType) != nil }

    private func redactor(_ mediaType: String?) -> Redactor? {
        mediaType.flatMap { Redactor(mediaType: $0, keeping: keeping) }
    }

    /// Finds the metadata of an original.
    ///
    /// - Parameter completion: Called once, on any thread, unless the returned work is cancelled before.
    /// - Returns: Work that can be cancelled; nil if it is done.
    func begin(
        _ content: LoadedContent, priority: Priority,
        completion: @escaping @Sendable (Result<RedactedOriginal, Problem>) -> Void
    ) -> BlockingPool.Handle? {
        let original: (file: OriginalFile, redactor: Redactor)?
        switch content {
        case .file(let file): original = redactor(file.mediaType).map { (file, $0) }
        case .bytes: original = nil
        case .partial(let partial):
            partial.close()
            original = nil
        }
        guard let (file, redactor) = original else {
            completion(.failure(.notRedactable))
            return nil
        }
        return Self.pool.run(in: file.folder ?? -1, priority: priority) {
            Result { () throws(RedactionError) in
                try redactor.edits(of: file.descriptor.number, length: file.length)
            }
        } then: { [keeping] outcome in
            switch outcome {
            case .success(.success(let edits)):
                completion(.success(RedactedOriginal(file: file, edits: edits, keeping: keeping)))
            case .success(.failure(.unreadable)), .failure: completion(.failure(.redactionFailed))
            case .success(.failure): completion(.failure(.notRedactable))
            }
        }
    }
}

/// An original, and the edits without which it must not be sent.
struct RedactedOriginal: Sendable {
    let file: OriginalFile
    let edits: FileEdits
    let keeping: Redactor.Keeping

    var edit: FileRegion.Edit { { [edits] in edits.apply(to: &$0, at: $1) } }
}

extension Problem {
    static let notRedactable = Problem(
        .forbidden, title: "This original cannot be downloaded",
        detail:
            "This link shows pictures without their place or their metadata, which cannot be removed from this file.")
    static let redactionFailed = Problem(
        .serviceUnavailable, title: "This original cannot be read now",
        detail: "The disk took too long to answer. Try again in a moment.", headers: [.retryAfter: "5"])
}
