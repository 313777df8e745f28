public import Images
import Locking

/// The images that were renamed or moved lately, so that pages which still know them by their former ids find them. Lost
/// with a restart.
final class RenamedImages: Sendable {
    /// The most images remembered. Beyond it all are forgotten.
    private static let capacity = 65_536
    /// How often in a row an image may have been renamed.
    private static let maximumSteps = 16

    private let present = Guarded<[ImageID: ImageID]>([:])

    func record(_ moves: [(old: ImageID, new: ImageID)]) {
        present.withLock { present in
            if present.count + moves.count > Self.capacity { present = [:] }
            for move in moves.prefix(Self.capacity) where move.old != move.new { present[move.old] = move.new }
        }
    }

    /// The ids that the image got since, the next one first.
    func successors(of id: ImageID) -> [ImageID] {
        present.withLock { present in
            var found: [ImageID] = []
            var last = id
            while found.count < Self.maximumSteps, let next = present[last], next != id, !found.contains(next) {
                found.append(next)
                last = next
            }
            return found
        }
    }
}

extension Catalog {
    /// The ids of an image that was renamed or moved since it had this id: the first of them that exists is the image.
    public func successors(of id: ImageID) -> [ImageID] { renamed.successors(of: id) }
}
