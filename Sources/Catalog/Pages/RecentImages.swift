import Images
import Locking

/// A cache of individually requested images. An image that many clients request, or one client repeatedly, is read
/// once.
final class RecentImages: Sendable {
    /// The maximum number of images, of some hundred bytes each. Beyond it the cache is cleared, because refilling it
    /// costs little.
    private static let capacity = 4_096

    private struct State {
        var revision: UInt64 = 0
        var images: [ImageID: GalleryImage] = [:]
        /// How often metadata of any image has changed.
        var metadataRevision: UInt64 = 0
        var inFlight: [ImageID: LookUp] = [:]
    }

    /// A read in progress, shared by all callers for one image while nothing changes.
    private struct LookUp {
        /// The revision and the count of metadata changes when it began.
        let beginning: (revision: UInt64, metadataRevision: UInt64)
        let task: Task<GalleryImage?, any Error>
    }

    private let state = Guarded(State())

    /// The image as of this revision; nil if it is not cached.
    func image(_ id: ImageID, revision: UInt64) -> GalleryImage? {
        state.withLock { $0.revision == revision ? $0.images[id] : nil }
    }

    /// Reads an image, once for all concurrent callers.
    ///
    /// - Parameters:
    ///   - revision: The current revision.
    ///   - read: Returns the image, or nil if there is none, and the revision that it belongs to.
    func lookUp(
        _ id: ImageID, revision: UInt64,
        _ read: @escaping @Sendable () async throws -> (revision: UInt64, image: GalleryImage?)
    ) -> Task<GalleryImage?, any Error> {
        state.withLock { state in
            let beginning = (revision: revision, metadataRevision: state.metadataRevision)
            if let inFlight = state.inFlight[id], inFlight.beginning == beginning { return inFlight.task }
            let task = Task {
                defer { ended(id, beginning) }
                let found = try await read()
                if let image = found.image {
                    keep(image, revision: found.revision, unlessLearnedSince: beginning.metadataRevision)
                }
                return found.image
            }
            state.inFlight[id] = LookUp(beginning: beginning, task: task)
            return task
        }
    }

    private func ended(_ id: ImageID, _ beginning: (revision: UInt64, metadataRevision: UInt64)) {
        state.withLock { state in
            // After a change, another read for the same image may have replaced this one.
            if let inFlight = state.inFlight[id], inFlight.beginning == beginning { state.inFlight[id] = nil }
        }
    }

    /// Caches an image of this revision, unless metadata has changed since, because it may be this image's and newer
    /// than the read.
    private func keep(_ image: GalleryImage, revision: UInt64, unlessLearnedSince metadataRevision: UInt64) {
        state.withLock { state in
            guard state.metadataRevision == metadataRevision, revision >= state.revision else { return }
            if state.revision != revision || state.images.count >= Self.capacity {
                state.images.removeAll(keepingCapacity: true)
                state.revision = revision
            }
            state.images[image.id] = image
        }
    }

    /// Metadata of this image has changed.
    func forget(_ id: ImageID) {
        state.withLock { state in
            state.metadataRevision += 1
            state.images[id] = nil
        }
    }

    /// Metadata of many images has changed.
    func forgetAll() {
        state.withLock { state in
            state.metadataRevision += 1
            state.images.removeAll(keepingCapacity: true)
        }
    }
}
