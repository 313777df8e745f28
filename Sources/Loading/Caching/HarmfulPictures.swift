import GRDB
import Images
import Renditions

/// Pictures that harmed their decoder, by their content: made it crash, or outlasted their time or their memory twice. They
/// are not tried again, not by the next run of the program either, until a person asks for it or the content is another.
///
/// Belongs to the coordinator: not for several threads.
final class HarmfulPictures {
    private struct Entry {
        let version: ContentVersion
        var reason: RenderError.Reason
        var strikes: Int
        /// When somebody last insisted on a try.
        var insistedAt: Duration?
    }

    /// How often somebody may insist: a page that asks again and again is no person.
    private static let insistence = Duration.seconds(10)

    /// A picture with so many is not tried again.
    private static let strikesOut = 2

    private let database: CacheDatabase
    private let lane: BlockingLane
    private let capacity: Int
    private var entries: [ImageID: Entry] = [:]

    /// Reads what is remembered. Blocks.
    ///
    /// - Parameters:
    ///   - lane: One thread, for all writes to the database.
    ///   - capacity: Beyond so many, one makes room for another.
    init(database: CacheDatabase, lane: BlockingLane, capacity: Int) {
        self.database = database
        self.lane = lane
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

    /// Why a picture is not even looked at, if it is not.
    ///
    /// - Parameters:
    ///   - insists: A person asks for another try.
    ///   - now: Of any steady clock.
    func failure(of image: ImageID, version: ContentVersion, insists: Bool, now: Duration) -> LoadFailure? {
        guard let entry = entries[image], entry.version == version, entry.strikes >= Self.strikesOut else { return nil }
        if insists, entry.insistedAt.map({ now - $0 >= Self.insistence }) ?? true {
            entries[image]?.insistedAt = now
            return nil
        }
        let error: RenderError =
            switch entry.reason {
            case .tookTooLong: .tookTooLong("it did before")
            case .tooMuchMemory: RenderError(.tooMuchMemory, "This picture needs more memory than a picture may have.")
            default: .decoderDied("it did before")
            }
        return LoadFailure(error)
    }

    /// A try has failed. That all pixels were too many, and whatever comes of a pyramid, says nothing of other renditions.
    func note(_ reason: RenderError.Reason, of request: LoadRequest, version: ContentVersion) {
        guard request.rendition != .pyramid else { return }
        let image = request.image.id
        let strikes: Int
        switch reason {
        // The pool has tried it twice.
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
            insistedAt: entries[image]?.insistedAt)
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

    /// A try went well. A preview may have been made without looking at the picture itself.
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
        lane.submit(BlockingLane.newWork(), priority: .background) { [database] in _ = database.write(body) }
    }
}
