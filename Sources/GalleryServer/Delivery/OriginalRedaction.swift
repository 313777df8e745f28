import Accounts
import BlockingIO
import DequeModule
import Glibc
import HTTPServer
import HTTPTypes
import Loading
import Locking
import Redaction
import Scheduling

/// Removes from originals what the visitors of a share may not learn.
struct OriginalRedaction: Sendable {
    let keeping: Redactor.Keeping

    /// Reads originals for all galleries of the process.
    private static let pool = BlockingPool(label: "redaction", threads: 8, threadsPerGroup: 4)
    /// Edits of recent files, reused for later range requests.
    private static let recent = Guarded(RecentEdits())

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
        return Self.pool.run(in: file.folder ?? -1, priority: priority) { [keeping] in
            Result { () throws(RedactionError) in
                guard let content = FileContent(of: file), content.size == file.length else {
                    throw .unreadable
                }
                if let edits = Self.recent.withLock({ $0.edits(of: content, keeping) }) { return (content, edits) }
                let edits = try redactor.edits(of: file.descriptor.number, length: file.length)
                Self.recent.withLock { $0.insert(edits, of: content, keeping) }
                return (content, edits)
            }
        } then: { [keeping] (outcome: Result<Result<(FileContent, FileEdits), RedactionError>, BlockingPool.Failure>) in
            switch outcome {
            case .success(.success(let (content, edits))):
                completion(
                    .success(RedactedOriginal(file: file, content: content, edits: edits, keeping: keeping)))
            case .success(.failure(.unreadable)), .failure: completion(.failure(.redactionFailed))
            case .success(.failure): completion(.failure(.notRedactable))
            }
        }
    }
}

/// An original, and the edits without which it must not be sent.
struct RedactedOriginal: Sendable {
    let file: OriginalFile
    /// What the edits are for.
    let content: FileContent
    let edits: FileEdits
    let keeping: Redactor.Keeping

    /// If the file is overwritten while it is being sent, its metadata may have moved, so the response is aborted.
    var edit: FileRegion.Edit {
        { [file, content, edits] bytes, position in
            edits.apply(to: &bytes, at: position)
            return FileContent(of: file) == content
        }
    }
}

/// Identifies the present content of an open file.
struct FileContent: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// In bytes.
    let size: Int64
    private let modified: [Int]
    private let changed: [Int]

    /// Nil if the file cannot be examined.
    init?(of file: OriginalFile) {
        let descriptor = file.descriptor.number
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        // The content of a cached file never changes, but eviction changes its link count, and with it this time.
        changed = file.folder == nil ? [] : [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}

/// The edits of the files that were redacted last.
private struct RecentEdits {
    private struct Key: Hashable {
        let content: FileContent
        let keeping: Redactor.Keeping
    }

    private static let capacity = 64
    /// In bytes. Exif has at most 64 KB in a JPEG.
    private static let longestReplacement = 128 << 10
    private var edits: [Key: FileEdits] = [:]
    private var keys: Deque<Key> = []

    func edits(of content: FileContent, _ keeping: Redactor.Keeping) -> FileEdits? {
        edits[Key(content: content, keeping: keeping)]
    }

    mutating func insert(_ new: FileEdits, of content: FileContent, _ keeping: Redactor.Keeping) {
        let key = Key(content: content, keeping: keeping)
        guard new.replacementLength <= Self.longestReplacement else { return }
        guard edits.updateValue(new, forKey: key) == nil else { return }
        keys.append(key)
        if keys.count > Self.capacity { edits[keys.removeFirst()] = nil }
    }
}

extension Problem {
    static let notRedactable = Problem(
        .forbidden, title: "This original cannot be downloaded",
        detail:
            "This share does not include all metadata, and Tessera cannot remove the metadata from this file.")
    static let redactionFailed = Problem(
        .serviceUnavailable, title: "The original is temporarily unavailable",
        detail: "The file changed or could not be read in time. Try again in a moment.", headers: [.retryAfter: "5"])
}
