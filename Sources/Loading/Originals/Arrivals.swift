import Images
import Locking

/// The originals that are being fetched now, for whoever wants to know how their origins do. Any thread.
final class Arrivals: Sendable {
    private let fetches = Guarded<[ImageID: OriginalFetch]>([:])

    func came(_ fetch: OriginalFetch) { fetches.withLock { $0[fetch.image] = fetch } }

    /// Another fetch of the same image may have come meanwhile, and stays.
    func went(_ fetch: OriginalFetch?) {
        guard let fetch else { return }
        fetches.withLock { if $0[fetch.image] === fetch { $0[fetch.image] = nil } }
    }

    func clear() { fetches.withLock { $0 = [:] } }

    /// For how long the origin of the image has sent nothing; nil while nothing is awaited from it.
    func silence(of image: ImageID) -> Duration? { fetches.withLock { $0[image] }?.silence }
}
