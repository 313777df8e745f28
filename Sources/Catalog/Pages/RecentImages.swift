import Images
import Locking

/// Images that were asked for one by one and are still as they were told: a picture that many ask for, or one again and
/// again, is looked up once.
final class RecentImages: Sendable {
    /// How many are kept, of some hundred bytes each; then all are let go, for it costs little to begin anew.
    private static let capacity = 4_096

    private struct State {
        var revision: UInt64 = 0
        var images: [ImageID: GalleryImage] = [:]
        /// How often something was learnt of any image.
        var learnings: UInt64 = 0
    }

    private let state = Guarded(State())

    /// The image as this revision has it; nil when it is not kept.
    func image(_ id: ImageID, revision: UInt64) -> GalleryImage? {
        state.withLock { $0.revision == revision ? $0.images[id] : nil }
    }

    /// What has been learnt until now; to be asked for before an image is read that will be kept.
    var learnings: UInt64 { state.withLock(\.learnings) }

    /// Keeps an image of this revision, unless something was learnt since: perhaps of this very image, after it was read.
    func keep(_ image: GalleryImage, revision: UInt64, unlessLearntSince learnings: UInt64) {
        state.withLock { state in
            guard state.learnings == learnings, revision >= state.revision else { return }
            if state.revision != revision || state.images.count >= Self.capacity {
                state.images.removeAll(keepingCapacity: true)
                state.revision = revision
            }
            state.images[image.id] = image
        }
    }

    /// Something was learnt of this image.
    func forget(_ id: ImageID) {
        state.withLock { state in
            state.learnings += 1
            state.images[id] = nil
        }
    }

    /// Something was learnt of many.
    func forgetAll() {
        state.withLock { state in
            state.learnings += 1
            state.images.removeAll(keepingCapacity: true)
        }
    }
}
