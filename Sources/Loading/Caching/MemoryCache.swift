import Images
import Locking
import Renditions

/// Encoded renditions in memory, and until when remote ones may be used without asking their origin.
///
/// Asked on the threads of the sockets: one lock, held for two look-ups.
final class MemoryCache: Sendable {
    private struct State: Sendable {
        var tiles: Sieve<TileKey, RenditionBytes>
        /// By image, seconds since 1970 and the version they are of.
        var freshness: Sieve<UInt64, Freshness>
        var hits = 0
        var misses = 0
    }

    struct Freshness: Hashable, Sendable {
        let version: ContentVersion
        /// Seconds since 1970.
        let until: Int64
    }

    private let state: Guarded<State>

    /// - Parameter budget: Bytes.
    init(budget: Int) {
        state = Guarded(State(tiles: Sieve(budget: budget), freshness: Sieve(budget: 65_536)))
    }

    /// Bytes that an entry takes beside those of its picture, about.
    private static let overhead = 200

    func rendition(_ request: LoadRequest, now: () -> Int64) -> RenditionBytes? {
        let key = TileKey(image: request.image.id, rendition: request.rendition, format: request.format)
        return state.withLock { state in
            guard let tile = state.tiles.peek(key), Self.isCurrent(tile, request.image, state.freshness, now) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            return state.tiles.use(key)
        }
    }

    private static func isCurrent(
        _ tile: RenditionBytes, _ image: GalleryImage, _ freshness: Sieve<UInt64, Freshness>, _ now: () -> Int64
    ) -> Bool {
        switch image.location {
        case .file: return tile.version == image.version
        case .remote:
            guard let known = freshness.peek(image.id.rawValue), known.version == tile.version else { return false }
            return now() < known.until
        }
    }

    /// The rendition of exactly this version, whether it must be revalidated or not.
    func rendition(_ key: TileKey, version: ContentVersion) -> RenditionBytes? {
        state.withLock { state in
            guard state.tiles.peek(key)?.version == version else { return nil }
            return state.tiles.use(key)
        }
    }

    func insert(_ tile: RenditionBytes, for key: TileKey) {
        state.withLock { _ = $0.tiles.insert(tile, for: key, cost: tile.bytes.count + Self.overhead) }
    }

    func setFreshness(_ freshness: Freshness, of image: ImageID) {
        state.withLock { _ = $0.freshness.insert(freshness, for: image.rawValue, cost: 1) }
    }

    var statistics: (bytes: Int, count: Int, hits: Int, misses: Int) {
        state.withLock { ($0.tiles.cost, $0.tiles.count, $0.hits, $0.misses) }
    }
}
