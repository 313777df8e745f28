import Images
import Locking

/// The originals being fetched now, so that callers can check on their origins. Any thread.
final class InFlightOriginals: Sendable {
    private let fetches = Guarded<[ImageID: OriginalFetch]>([:])

    func add(_ fetch: OriginalFetch) { fetches.withLock { $0[fetch.image] = fetch } }

    /// Removes this fetch, but not a newer fetch of the same image.
    func remove(_ fetch: OriginalFetch?) {
        guard let fetch else { return }
        fetches.withLock { if $0[fetch.image] === fetch { $0[fetch.image] = nil } }
    }

    func clear() { fetches.withLock { $0 = [:] } }

    /// How long the image's origin has sent nothing; nil while no response is awaited from it.
    func silence(of image: ImageID) -> Duration? { fetches.withLock { $0[image] }?.silence }
}
