import BlockingIO
import GRDB
import Images
import Locking
import Renditions

/// Images that harmed their decoder, by content version: they crashed it, or exceeded its time or memory twice. They
/// are not tried again, even after a restart, until a person asks for another try or the content changes.
final class HarmfulImages: Sendable {
    private struct Entry: Sendable {
        let version: ContentVersion
        var reason: RenderError.Reason
        var strikes: Int
        /// When somebody last bypassed the negative cache for this image.
        var bypassedAt: Duration?
    }

    private struct State: Sendable {
        var entries: [ImageID: Entry] = [:]
        /// The images whose row in the database is out of date.
        var unwritten: Set<ImageID> = []
    }

    /// The shortest time between two bypasses, because a page that keeps asking is not a person.
    private static let bypassInterval = Duration.seconds(10)

    /// An image with this many strikes is not tried again.
    private static let strikesOut = 2

    private let database: CacheDatabase
    private let pool: BlockingPool
    private let capacity: Int
    private let state: Guarded<State>

    /// Reads the remembered images from the database. Blocks.
    ///
    /// - Parameters:
    ///   - pool: One thread, for all writes to the database.
    ///   - capacity: How many images are remembered; beyond that, a new one replaces another.
    init(database: CacheDatabase, pool: BlockingPool, capacity: Int) {
        self.database = database
        self.pool = pool
        self.capacity = capacity
        let rows = database.read { database in
            try Row.fetchAll(database, sql: "SELECT image, version, reason, strikes FROM harmful LIMIT \(capacity)")
        }
        var stored = State()
        for row in rows ?? [] {
            guard let image = row["image"] as Int64?, let version = row["version"] as Int64?,
                let number = row["reason"] as Int64?, let strikes = row["strikes"] as Int64?,
                let reason = UInt8(exactly: number).flatMap(RenderError.Reason.init)
            else { continue }
            stored.entries[ImageID(rawValue: UInt64(bitPattern: image))] = Entry(
                version: ContentVersion(rawValue: UInt64(bitPattern: version)), reason: reason,
                strikes: Int(clamping: strikes))
        }
        state = Guarded(stored)
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// The failure of a harmful image that must not be decoded; nil for any other.
    ///
    /// - Parameters:
    ///   - bypassesNegativeCache: Whether a person asked for another try.
    ///   - now: The time of any monotonic clock.
    func failure(of image: ImageID, version: ContentVersion, bypassesNegativeCache: Bool, now: Duration) -> LoadFailure?
    {
        let reason = state.withLock { state -> RenderError.Reason? in
            guard let entry = state.entries[image], entry.version == version, entry.strikes >= Self.strikesOut
            else { return nil }
            if bypassesNegativeCache, entry.bypassedAt.map({ now - $0 >= Self.bypassInterval }) ?? true {
                state.entries[image]?.bypassedAt = now
                return nil
            }
            return entry.reason
        }
        switch reason {
        case nil: return nil
        case .tookTooLong: return LoadFailure(RenderError.tookTooLong("it did before"))
        case .tooMuchMemory:
            return LoadFailure(
                RenderError(.tooMuchMemory, "This picture needs more memory than one picture may use."))
        default: return LoadFailure(RenderError.decoderDied("it did before"))
        }
    }

    /// Records a failed render. A failed pyramid says nothing about other renditions, and neither does an image with
    /// too many pixels to decode in full.
    func note(_ reason: RenderError.Reason, of request: LoadRequest, version: ContentVersion) {
        guard request.rendition != .pyramid, capacity > 0 else { return }
        let strikes: Int
        switch reason {
        // The worker pool has already tried it twice.
        case .decoderDied: strikes = Self.strikesOut
        case .tookTooLong, .tooMuchMemory:
            guard !request.rendition.hasAllPixels else { return }
            strikes = 1
        default: return
        }
        change { state in
            let image = request.image.id
            let known = state.entries[image]
            let before = known.flatMap { $0.version == version ? $0.strikes : nil } ?? 0
            if known == nil, state.entries.count >= capacity, let other = state.entries.keys.first {
                state.entries[other] = nil
                state.unwritten.insert(other)
            }
            state.entries[image] = Entry(
                version: version, reason: reason, strikes: min(before + strikes, Self.strikesOut),
                bypassedAt: known?.bypassedAt)
            state.unwritten.insert(image)
        }
    }

    /// Clears the strikes after a successful render. A preview does not count, because it may not have needed the image
    /// itself.
    func forgive(_ request: LoadRequest) {
        guard Rendition.steps.contains(request.rendition) else { return }
        change { state in
            guard state.entries.removeValue(forKey: request.image.id) != nil else { return }
            state.unwritten.insert(request.image.id)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let isWaiting = state.withLock { state in
            let wasWaiting = !state.unwritten.isEmpty
            body(&state)
            return wasWaiting || state.unwritten.isEmpty
        }
        if !isWaiting { pool.submit { self.flush() } }
    }

    /// Writes what is not yet in the database. Blocks. Call it on the write pool, or when nothing else runs any more.
    func flush() {
        let changes = state.withLock { state in
            defer { state.unwritten = [] }
            return state.unwritten.map { ($0, state.entries[$0]) }
        }
        guard !changes.isEmpty else { return }
        _ = database.write { database in
            for (image, entry) in changes {
                let key = Int64(bitPattern: image.rawValue)
                guard let entry else {
                    try database.run("DELETE FROM harmful WHERE image = ?", [key])
                    continue
                }
                try database.run(
                    "INSERT OR REPLACE INTO harmful (image, version, reason, strikes) VALUES (?, ?, ?, ?)",
                    [
                        key, Int64(bitPattern: entry.version.rawValue), Int64(entry.reason.rawValue), entry.strikes,
                    ])
            }
        }
    }
}
