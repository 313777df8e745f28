import BlockingIO
import GRDB
import Images
import Renditions

/// Images that harmed their decoder, by content version: they crashed it, or exceeded its time or memory twice. They
/// are not tried again, even after a restart, until a person asks for another try or the content changes.
///
/// Not thread-safe: only the coordinator uses it.
final class HarmfulImages {
    private struct Entry {
        let version: ContentVersion
        var reason: RenderError.Reason
        var strikes: Int
        /// When somebody last bypassed the negative cache for this image.
        var bypassedAt: Duration?
    }

    /// The shortest time between two bypasses, because a page that keeps asking is not a person.
    private static let bypassInterval = Duration.seconds(10)

    /// An image with this many strikes is not tried again.
    private static let strikesOut = 2

    private let database: CacheDatabase
    private let pool: BlockingPool
    private let capacity: Int
    private var entries: [ImageID: Entry] = [:]

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
        for row in rows ?? [] {
            guard let image = row["image"] as Int64?, let version = row["version"] as Int64?,
                let number = row["reason"] as Int64?, let strikes = row["strikes"] as Int64?,
                let reason = UInt8(exactly: number).flatMap(RenderError.Reason.init)
            else { continue }
            entries[ImageID(rawValue: UInt64(bitPattern: image))] = Entry(
                version: ContentVersion(rawValue: UInt64(bitPattern: version)), reason: reason,
                strikes: Int(clamping: strikes))
        }
    }

    var count: Int { entries.count }

    /// The failure of a harmful image that must not be decoded; nil for any other.
    ///
    /// - Parameters:
    ///   - bypassesNegativeCache: Whether a person asked for another try.
    ///   - now: The time of any monotonic clock.
    func failure(of image: ImageID, version: ContentVersion, bypassesNegativeCache: Bool, now: Duration) -> LoadFailure?
    {
        guard let entry = entries[image], entry.version == version, entry.strikes >= Self.strikesOut else { return nil }
        if bypassesNegativeCache, entry.bypassedAt.map({ now - $0 >= Self.bypassInterval }) ?? true {
            entries[image]?.bypassedAt = now
            return nil
        }
        let error: RenderError =
            switch entry.reason {
            case .tookTooLong: .tookTooLong("it did before")
            case .tooMuchMemory: RenderError(.tooMuchMemory, "This picture needs more memory than one picture may use.")
            default: .decoderDied("it did before")
            }
        return LoadFailure(error)
    }

    /// Records a failed render. A failed pyramid says nothing about other renditions, and neither does an image with
    /// too many pixels to decode in full.
    func note(_ reason: RenderError.Reason, of request: LoadRequest, version: ContentVersion) {
        guard request.rendition != .pyramid else { return }
        let image = request.image.id
        let strikes: Int
        switch reason {
        // The worker pool has already tried it twice.
        case .decoderDied: strikes = Self.strikesOut
        case .tookTooLong, .tooMuchMemory:
            guard !request.rendition.hasAllPixels else { return }
            strikes = 1
        default: return
        }
        let before = entries[image].flatMap { $0.version == version ? $0.strikes : nil } ?? 0
        if entries[image] == nil, entries.count >= capacity, let other = entries.keys.first { forget(other) }
        guard capacity > 0 else { return }
        let entry = Entry(
            version: version, reason: reason, strikes: min(before + strikes, Self.strikesOut),
            bypassedAt: entries[image]?.bypassedAt)
        entries[image] = entry
        write { database in
            try database.run(
                "INSERT OR REPLACE INTO harmful (image, version, reason, strikes) VALUES (?, ?, ?, ?)",
                [
                    Int64(bitPattern: image.rawValue), Int64(bitPattern: entry.version.rawValue),
                    Int64(entry.reason.rawValue), entry.strikes,
                ])
        }
    }

    /// Clears the strikes after a successful render. A preview does not count, because it may not have needed the image
    /// itself.
    func forgive(_ request: LoadRequest) {
        guard Rendition.steps.contains(request.rendition), entries[request.image.id] != nil else { return }
        forget(request.image.id)
    }

    private func forget(_ image: ImageID) {
        entries[image] = nil
        write { database in
            try database.run("DELETE FROM harmful WHERE image = ?", [Int64(bitPattern: image.rawValue)])
        }
    }

    private func write(_ body: @escaping @Sendable (Database) throws -> Void) {
        pool.submit { [database] in _ = database.write(body) }
    }
}
