import EventLoops
import Images
import Loading
import Redis
import Renditions
import Synchronization
import Time

/// Hot renditions in Redis. Each expires an hour after its last use, or earlier if Redis evicts it under `maxmemory`
/// (with a policy such as `allkeys-lfu`).
final class RedisRenditionTier: RenditionTier {
    private let client: RedisClient
    private let keys: RedisKeys
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)
    private let kept = Atomic<Int>(0)
    private let full = Atomic<Bool>(false)
    private let onFull: @Sendable (Bool) -> Void

    /// The largest rendition to store, in bytes.
    static let largest = 1 << 20
    private static let lifetime = Duration.seconds(3_600)
    /// How long a load may wait for a lookup.
    private static let lookupTimeout = Duration.milliseconds(60)
    /// The timeout of a write, which nobody waits for.
    private static let writeTimeout = Duration.seconds(1)

    /// - Parameter onFull: Called on the client's loop when Redis runs out of memory, and when it has room again.
    init(client: RedisClient, keys: RedisKeys, onFull: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.client = client
        self.keys = keys
        self.onFull = onFull
    }

    /// Whether Redis had no room for the last write, of whatever part. Callable from any thread.
    var isFull: Bool { full.load(ordering: .relaxed) }

    /// Look-ups that found a rendition and that did not, and renditions stored, since the start.
    struct Statistics: Hashable, Sendable {
        let hits: Int
        let misses: Int
        let kept: Int
    }

    var figures: Statistics {
        Statistics(
            hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed),
            kept: kept.load(ordering: .relaxed))
    }

    var servesSingleNode: Bool { false }

    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        guard client.isConnected else { return found(nil) }
        let answer: @Sendable (Result<RedisReply, RedisError>) -> Void = { [self] result in
            let rendition = (try? result.get()).flatMap { read($0, name) }
            if rendition == nil { misses.add(1, ordering: .relaxed) } else { hits.add(1, ordering: .relaxed) }
            found(rendition)
        }
        let lifetime = Array("\(Self.lifetime.milliseconds)".utf8)
        if name.version != nil {
            client.send(
                [Array("GETEX".utf8), keys.rendition(name), Array("PX".utf8), lifetime], within: Self.lookupTimeout,
                answer: answer)
        } else {
            let (before, behind) = keys.renditionAroundVersion(name)
            client.run(
                TierScripts.find, keys: [keys.original(name)],
                arguments: [before, behind, lifetime, [occasion == .made ? 0x31 : 0x30]],
                within: Self.lookupTimeout, answer: answer)
        }
    }

    private func read(_ reply: RedisReply, _ name: SharedName) -> SharedRendition? {
        if let version = name.version {
            let tile = reply.bytes.flatMap { SharedBytes.tile($0, name, version: version) }
            return tile.map { SharedRendition(tile: $0) }
        }
        guard let parts = reply.list, parts.count == 5,
            let version = parts[0].text.flatMap({ ContentVersion($0) }),
            let freshUntil = parts[1].text.flatMap({ Int64($0) }),
            let body = parts[2].bytes, let metadata = parts[3].bytes, let bytes = parts[4].bytes,
            let tile = SharedBytes.tile(bytes, name, version: version),
            let original = SharedBytes.original(
                body, metadata: metadata.isEmpty ? nil : metadata, version: version, freshUntil: freshUntil)
        else { return nil }
        return SharedRendition(tile: tile, original: original)
    }

    func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        let tile = rendition.tile
        guard client.isConnected, tile.bytes.count <= Self.largest else { return done(false) }
        let own = SharedName(
            image: name.image, version: tile.version, rendition: name.rendition, format: name.format)
        let lifetime = Array("\(Self.lifetime.milliseconds)".utf8)
        let set = [
            Array("SET".utf8), keys.rendition(own), SharedBytes.bytes(of: tile), Array("PX".utf8), lifetime,
        ]
        client.send(set, within: Self.writeTimeout) { [self] result in
            note(result)
            guard case .success = result else { return done(false) }
            kept.add(1, ordering: .relaxed)
            guard let original = rendition.original else { return done(true) }
            // The metadata announces the rendition, so it must be written after it.
            storeOriginal(original, of: name, fence, done)
        }
    }

    private func storeOriginal(
        _ original: SharedOriginal, of name: SharedName, _ fence: UInt64, _ done: @escaping @Sendable (Bool) -> Void
    ) {
        client.run(
            TierScripts.note, keys: [keys.original(name)],
            arguments: [
                Array("\(original.version)".utf8), Array("\(fence)".utf8), Array("\(original.freshUntil)".utf8),
                SharedBytes.bytes(of: original), original.metadata.map { SharedBytes.bytes(of: $0) } ?? [],
            ], within: Self.writeTimeout
        ) { [self] result in
            note(result)
            done((try? result.get().integer) == 1)
        }
    }

    /// Redis had no memory for a command of another part. On the client's loop.
    func becameFull() { set(full: true) }

    /// Redis had memory for a write of another part. On the client's loop.
    func hasRoom() { set(full: false) }

    private func note(_ result: Result<RedisReply, RedisError>) {
        switch result {
        case .success: set(full: false)
        case .failure(.refused(let text)) where RedisRefusal(text) == .noMemory: set(full: true)
        case .failure: break
        }
    }

    /// Reports once that Redis is full, and once that it no longer is.
    private func set(full isFull: Bool) {
        if full.exchange(isFull, ordering: .relaxed) != isFull { onFull(isFull) }
    }
}
