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
        var underWay: [ImageID: LookUp] = [:]
    }

    /// A look at the disk, for all who ask for one image while nothing changes.
    private struct LookUp {
        /// When it began: the revision, and how often something had been learnt.
        let beginning: (revision: UInt64, learnings: UInt64)
        let task: Task<GalleryImage?, any Error>
    }

    private let state = Guarded(State())

    /// The image as this revision has it; nil when it is not kept.
    func image(_ id: ImageID, revision: UInt64) -> GalleryImage? {
        state.withLock { $0.revision == revision ? $0.images[id] : nil }
    }

    /// Looks an image up, once for all who ask for it meanwhile: a crowd that comes for one picture reads one row.
    ///
    /// - Parameters:
    ///   - revision: the present one.
    ///   - read: the image, nil when there is none, and the revision that it is of.
    func lookUp(
        _ id: ImageID, revision: UInt64,
        _ read: @escaping @Sendable () async throws -> (revision: UInt64, image: GalleryImage?)
    ) -> Task<GalleryImage?, any Error> {
        state.withLock { state in
            let beginning = (revision: revision, learnings: state.learnings)
            if let underWay = state.underWay[id], underWay.beginning == beginning { return underWay.task }
            let task = Task {
                defer { ended(id, beginning) }
                let found = try await read()
                if let image = found.image {
                    keep(image, revision: found.revision, unlessLearntSince: beginning.learnings)
                }
                return found.image
            }
            state.underWay[id] = LookUp(beginning: beginning, task: task)
            return task
        }
    }

    private func ended(_ id: ImageID, _ beginning: (revision: UInt64, learnings: UInt64)) {
        state.withLock { state in
            // Another may have begun since, when something had changed.
            if let underWay = state.underWay[id], underWay.beginning == beginning { state.underWay[id] = nil }
        }
    }

    /// Keeps an image of this revision, unless something was learnt since: perhaps of this very image, after it was read.
    private func keep(_ image: GalleryImage, revision: UInt64, unlessLearntSince learnings: UInt64) {
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
