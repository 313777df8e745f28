import Images
import Locking
import Renditions

/// Encoded renditions in memory, and how long remote images may be used without revalidation.
///
/// The socket threads call it: each call takes one lock for two lookups. Each request is counted once, as a hit when it
/// is served from here or as a miss when a load begins for it.
final class MemoryCache: Sendable {
    private struct State: Sendable {
        var tiles: Sieve<TileKey, RenditionBytes>
        /// By image: the content version, and the time until which it is fresh.
        var freshness: Sieve<UInt64, Freshness>
        var hits = 0
        var misses = 0
        var departed = Departed()
    }

    /// Images that have left the gallery in the last minutes, of which loads may be in flight that began before.
    private struct Departed: Sendable {
        private var recent: Set<UInt64> = []
        private var earlier: Set<UInt64> = []
        /// When `recent` was begun, in seconds since 1970.
        private var begun: Int64 = 0

        /// In seconds; longer than any load.
        private static let time: Int64 = 120

        mutating func insert(_ images: Set<UInt64>, now: Int64) {
            if abs(now - begun) >= Self.time {
                earlier = abs(now - begun) >= 2 * Self.time ? [] : recent
                (recent, begun) = ([], now)
            }
            recent.formUnion(images)
        }

        func contains(_ image: UInt64) -> Bool { recent.contains(image) || earlier.contains(image) }
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

    private static let forgottenAtOnce = 4_096

    /// Approximate bytes that an entry takes in addition to its encoded image.
    private static let overhead = 200

    /// The rendition for this request, if it can be served without revalidation. Counts as a hit.
    func rendition(_ request: LoadRequest, now: () -> Int64) -> RenditionBytes? {
        let names = TileKeyCandidates(of: request, version: request.image.version)
        return state.withLock { state in
            let tile = names.first { key in
                guard let tile = state.tiles.peek(key), Self.isCurrent(tile, request.image, state.freshness, now) else {
                    return nil
                }
                return state.tiles.use(key)
            }
            if tile != nil { state.hits += 1 }
            return tile
        }
    }

    private static func isCurrent(
        _ tile: RenditionBytes, _ image: GalleryImage, _ freshness: Sieve<UInt64, Freshness>, _ now: () -> Int64
    ) -> Bool {
        switch image.location {
        // A scan of the folder, or the bucket listing, supplied the version.
        case .file, .object: return tile.version == image.version
        case .remote:
            guard let known = freshness.peek(image.id.rawValue), known.version == tile.version else { return false }
            return now() < known.until
        }
    }

    /// The rendition of exactly this version, whether it must be revalidated or not.
    ///
    /// - Parameter isHit: Whether a request is served with it. Lookups by a load that was counted as a miss are not
    ///   hits.
    func rendition(_ names: TileKeyCandidates, version: ContentVersion, isHit: Bool = false) -> RenditionBytes? {
        state.withLock { state in
            let tile = names.first { key in
                state.tiles.peek(key)?.version == version ? state.tiles.use(key) : nil
            }
            if isHit, tile != nil { state.hits += 1 }
            return tile
        }
    }

    /// Counts a load that begins because the rendition was not here.
    func countMiss() { state.withLock { $0.misses += 1 } }

    /// The rendition with exactly this name and version. Does not mark it as used, because another rendition needs the
    /// lookup.
    func rendition(_ key: TileKey, version: ContentVersion) -> RenditionBytes? {
        state.withLock { $0.tiles.peek(key).flatMap { $0.version == version ? $0 : nil } }
    }

    /// Leaves very large renditions to the disk: a few of them would evict hundreds of tiles.
    func insert(_ tile: RenditionBytes, for key: TileKey) {
        guard tile.bytes.count <= largest else { return }
        state.withLock { state in
            guard !state.departed.contains(key.image) else { return }
            _ = state.tiles.insert(tile, for: key, cost: tile.bytes.count + Self.overhead)
        }
    }

    /// Removes all renditions of these images, and takes none for some minutes, even of an image that comes back: those
    /// are served from the disk meanwhile.
    func forget(_ images: [ImageID], now: Int64) {
        // A part at a time, because the socket threads wait for the lock.
        for start in stride(from: 0, to: images.count, by: Self.forgottenAtOnce) {
            let departed = Set(images[start..<min(start + Self.forgottenAtOnce, images.count)].map(\.rawValue))
            state.withLock { state in
                state.departed.insert(departed, now: now)
                for key in state.tiles.keys.filter({ departed.contains($0.image) }) { state.tiles.remove(key) }
                for image in departed { state.freshness.remove(image) }
            }
        }
    }

    func setFreshness(_ freshness: Freshness, of image: ImageID) {
        state.withLock { _ = $0.freshness.insert(freshness, for: image.rawValue, cost: 1) }
    }

    var statistics: (bytes: Int, count: Int, hits: Int, misses: Int) {
        state.withLock { ($0.tiles.cost, $0.tiles.count, $0.hits, $0.misses) }
    }
}
