import BlockingIO
import FileHeads
import Images
import Locking
import Renditions
import Scheduling

/// A load of a preview for which the thumbnail that a camera embedded in a local file will do. If there is none, the
/// load goes on like any other.
///
/// Reading a thumbnail takes a fraction of a millisecond, so nothing is coalesced, cached or shared with other nodes.
final class ThumbnailLoad: LoadHandle {
    private struct State {
        var priority: Priority
        var reading: BlockingPool.Handle?
        /// The load that goes on without a thumbnail.
        var rest: (any LoadHandle)?
        var isOver = false
    }

    private let state: Guarded<State>

    init(priority: Priority) { state = Guarded(State(priority: priority)) }

    /// - Parameters:
    ///   - thumbnail: Reads the thumbnail; blocks.
    ///   - deliver: Called with the thumbnail, or with the reason why the disk does not respond.
    ///   - goOn: Begins the load without a thumbnail. Must not call back before it returns.
    func begin(
        on pool: BlockingPool, in folder: Int, _ thumbnail: @escaping @Sendable () -> RenditionBytes?,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void,
        orElse goOn: @escaping @Sendable (Priority) -> any LoadHandle
    ) {
        let priority = state.withLock { $0.priority }
        let reading = pool.run(in: folder, priority: priority, thumbnail) { result in
            switch result {
            case .success(nil): self.state.withLock { if !$0.isOver { $0.rest = goOn($0.priority) } }
            case .success(let thumbnail?): if self.end() { deliver(.success(.bytes(thumbnail))) }
            case .failure(let failure): if self.end() { deliver(.failure(LoadFailure(failure))) }
            }
        }
        state.withLock { if !$0.isOver { $0.reading = reading } }
    }

    func cancel() {
        let (reading, rest) = state.withLock { state in
            state.isOver = true
            return (state.reading.take(), state.rest.take())
        }
        reading?.cancel()
        rest?.cancel()
    }

    func reprioritise(_ priority: Priority) {
        let (reading, rest) = state.withLock { state in
            state.priority = priority
            return (state.reading, state.rest)
        }
        if let rest { rest.reprioritise(priority) } else { reading?.reprioritise(priority) }
    }

    /// Whether the load was not over before.
    private func end() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }
}

extension LoadStages {
    /// The thumbnail in the head of a local file as its preview; nil if there is none that can be trusted, or the file is
    /// not the one that the catalog knows. Blocks.
    func thumbnail(of image: GalleryImage) -> RenditionBytes? {
        guard case .file(let folder, let path) = image.location, let source = try? open(folder, path),
            source.version == image.version,
            let head = try? source.descriptor.read(CameraThumbnail.headLength, at: 0),
            let thumbnail = RenditionBytes(thumbnailIn: head, of: source),
            // A file that changes while it is read may be another image by now.
            let status = try? source.descriptor.status(), status == source.status
        else { return nil }
        return thumbnail
    }
}

extension RenditionBytes {
    /// The most bytes of a thumbnail, on a link on which they do not matter.
    private static let longestThumbnail = 16 << 10

    /// The thumbnail of a camera as a preview; nil if there is none that can be trusted.
    init?(thumbnailIn head: [UInt8], of source: OriginalSource) {
        guard let side = Rendition.preview.longestSide,
            let thumbnail = CameraThumbnail(head: head, atLeast: side, atMost: Self.longestThumbnail)
        else { return nil }
        self.init(
            bytes: thumbnail.file, mediaType: FileFormat.jpeg.mediaType, version: source.version,
            width: thumbnail.width,
            height: thumbnail.height, modified: source.modified)
    }
}

extension LoadRequest {
    /// Whether the file may contain a thumbnail that will do. A file whose format is not known yet may be a JPEG.
    var mayHaveThumbnail: Bool {
        acceptsThumbnail && rendition == .preview && mayBeJPEG
    }

    /// Whether the original is a JPEG, as far as is known.
    var mayBeJPEG: Bool { image.metadata.mediaType.map { $0 == FileFormat.jpeg.mediaType } ?? true }
}
