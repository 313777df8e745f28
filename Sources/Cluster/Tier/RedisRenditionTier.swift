import EventLoops
import Images
import Loading
import Redis
import Renditions
import Synchronization

/// Renditions that are hot, in Redis: for an hour after they were used last, or for as long as the server's own bound of
/// memory (`maxmemory`, with a policy such as `allkeys-lfu`) lets them.
final class RedisRenditionTier: RenditionTier {
    private let client: RedisClient
    private let keys: Keys
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)
    private let kept = Atomic<Int>(0)
    private let full = Atomic<Bool>(false)
    private let onFull: @Sendable (Bool) -> Void

    /// Bytes of one rendition; a larger one is not kept.
    static let largest = 1 << 20
    private static let lifetime = Duration.seconds(3_600)
    /// How long a look may keep a load waiting.
    private static let patience = Duration.milliseconds(60)
    /// Whoever made it does not wait.
    private static let leisure = Duration.seconds(1)

    /// - Parameter onFull: Told on the client's loop when the server has no room any more, and when it has again.
    init(client: RedisClient, keys: Keys, onFull: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.client = client
        self.keys = keys
        self.onFull = onFull
    }

    /// Whether the server had no room for what was to be kept last. From any thread.
    var isFull: Bool { full.load(ordering: .relaxed) }

    /// Looks that found something and that did not, and renditions kept, so far.
    var figures: (hits: Int, misses: Int, kept: Int) {
        (hits.load(ordering: .relaxed), misses.load(ordering: .relaxed), kept.load(ordering: .relaxed))
    }

    var servesAlone: Bool { false }

    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
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
                [Array("GETEX".utf8), keys.rendition(name), Array("PX".utf8), lifetime], within: Self.patience,
                answer: answer)
        } else {
            let (before, behind) = keys.renditionAroundVersion(name)
            client.run(
                TierScripts.find, keys: [keys.original(name)],
                arguments: [before, behind, lifetime, [occasion == .made ? 0x31 : 0x30]],
                within: Self.patience, answer: answer)
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
            let body = parts[2].bytes, let facts = parts[3].bytes, let bytes = parts[4].bytes,
            let tile = SharedBytes.tile(bytes, name, version: version),
            let original = SharedBytes.original(
                body, facts: facts.isEmpty ? nil : facts, version: version, freshUntil: freshUntil)
        else { return nil }
        return SharedRendition(tile: tile, original: original)
    }

    func keep(
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
        client.send(set, within: Self.leisure) { [self] result in
            note(result)
            guard case .success = result else { return done(false) }
            kept.add(1, ordering: .relaxed)
            guard let original = rendition.original else { return done(true) }
            // What says that there is something comes after it.
            say(original, of: name, fence, done)
        }
    }

    private func say(
        _ original: SharedOriginal, of name: SharedName, _ fence: UInt64, _ done: @escaping @Sendable (Bool) -> Void
    ) {
        client.run(
            TierScripts.note, keys: [keys.original(name)],
            arguments: [
                Array("\(original.version)".utf8), Array("\(fence)".utf8), Array("\(original.freshUntil)".utf8),
                SharedBytes.bytes(of: original), original.facts.map { SharedBytes.bytes(of: $0) } ?? [],
            ], within: Self.leisure
        ) { [self] result in
            note(result)
            done((try? result.get().integer) == 1)
        }
    }

    /// Tells once that the server is full, and once that it is not any more.
    private func note(_ result: Result<RedisReply, RedisError>) {
        let isFull: Bool
        switch result {
        case .success: isFull = false
        case .failure(.refused(let text)) where text.hasPrefix("OOM"): isFull = true
        case .failure: return
        }
        if full.exchange(isFull, ordering: .relaxed) != isFull { onFull(isFull) }
    }
}
