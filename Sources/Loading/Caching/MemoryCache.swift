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
    /// Bytes.
    private let largest: Int

    /// - Parameter budget: Bytes.
    init(budget: Int) {
        largest = max(budget / 32, 64 << 10)
        state = Guarded(State(tiles: Sieve(budget: budget), freshness: Sieve(budget: 65_536)))
    }

    /// Bytes that an entry takes beside those of its picture, about.
    private static let overhead = 200

    func rendition(_ request: LoadRequest, now: () -> Int64) -> RenditionBytes? {
        let names = KeptNames(of: request, version: request.image.version)
        return state.withLock { state in
            let tile = names.first { key in
                guard let tile = state.tiles.peek(key), Self.isCurrent(tile, request.image, state.freshness, now) else {
                    return nil
                }
                return state.tiles.use(key)
            }
            if tile == nil { state.misses += 1 } else { state.hits += 1 }
            return tile
        }
    }

    private static func isCurrent(
        _ tile: RenditionBytes, _ image: GalleryImage, _ freshness: Sieve<UInt64, Freshness>, _ now: () -> Int64
    ) -> Bool {
        switch image.location {
        // A look at the disk, or at the bucket's listing, told it.
        case .file, .object: return tile.version == image.version
        case .remote:
            guard let known = freshness.peek(image.id.rawValue), known.version == tile.version else { return false }
            return now() < known.until
        }
    }

    /// The rendition of exactly this version, whether it must be revalidated or not.
    func rendition(_ names: KeptNames, version: ContentVersion) -> RenditionBytes? {
        state.withLock { state in
            names.first { key in
                state.tiles.peek(key)?.version == version ? state.tiles.use(key) : nil
            }
        }
    }

    /// The one of exactly this name and version, which is not used by that: it is looked at for another one's sake.
    func rendition(_ key: TileKey, version: ContentVersion) -> RenditionBytes? {
        state.withLock { $0.tiles.peek(key).flatMap { $0.version == version ? $0 : nil } }
    }

    /// One that is very large is left to the disk: a few of them would push out hundreds of tiles.
    func insert(_ tile: RenditionBytes, for key: TileKey) {
        guard tile.bytes.count <= largest else { return }
        state.withLock { _ = $0.tiles.insert(tile, for: key, cost: tile.bytes.count + Self.overhead) }
    }

    func setFreshness(_ freshness: Freshness, of image: ImageID) {
        state.withLock { _ = $0.freshness.insert(freshness, for: image.rawValue, cost: 1) }
    }

    var statistics: (bytes: Int, count: Int, hits: Int, misses: Int) {
        state.withLock { ($0.tiles.cost, $0.tiles.count, $0.hits, $0.misses) }
    }
}
