import Catalog
import Encodings
import Images
import Postgres

/// Reads and writes the metadata log over one connection.
struct LogSession {
    let connection: PostgresConnection
    private let name: String
    private let node: Int64
    private let pace: PostgresMetadataLog.Pace
    /// The gallery's number in this database.
    private(set) var gallery: Int64 = 0
    /// The name by which outboxes know the log.
    private(set) var log = ""

    /// Metadata from other nodes, and the position from which to read on.
    struct Received {
        let metadata: [SharedMetadata]
        /// Everything before this position has been read.
        let position: Int64
        /// The number of the last change in the log.
        let head: Int64
        let hasMore: Bool

        /// - Parameters:
        ///   - rows: Each with the log's head, and the number of a change and its metadata, null if there is no change.
        ///   - position: The caller asked for the changes after this one.
        ///   - batch: The most rows asked for.
        /// - Throws: ``MetadataLogError`` if these rows cannot be an answer to that.
        init(_ rows: [PostgresRow], after position: Int64, batch: Int) throws {
            guard let head = rows.first?.integer(0) else {
                throw MetadataLogError(reason: "the gallery is gone from its tables")
            }
            let changes = rows.compactMap { $0.integer(1) }
            // A head before the position is the answer of a database that has lost data.
            guard head >= 0, changes.allSatisfy({ position < $0 && $0 <= head }),
                zip(changes, changes.dropFirst()).allSatisfy(<)
            else { throw MetadataLogError(reason: "its changes are not numbered as Tessera numbers them") }
            metadata = rows.compactMap { SharedMetadata($0, from: 2) }
            hasMore = rows.count >= batch
            self.head = head
            self.position = hasMore ? changes.last ?? head : head
        }
    }

    init(_ connection: PostgresConnection, gallery: String, node: Int64, pace: PostgresMetadataLog.Pace) {
        self.connection = connection
        name = gallery
        self.node = node
        self.pace = pace
    }

    /// Migrates the tables if necessary, and subscribes to notifications of changes.
    ///
    /// - Returns: The session, ready for use.
    /// - Throws: ``PostgresError``, ``MetadataLogError``, `PostgresSchema.Unusable`.
    func begun(isolation: isolated (any Actor)? = #isolation) async throws -> LogSession {
        let identity = try await connection.begin(Schema.tables, waiting: pace.statementTimeout)
        // If another node creates the row at this moment, only the next attempt sees it.
        var number: Int64?
        for _ in 0..<3 where number == nil { number = try await ask(Statements.gallery, [name]).first?.integer(0) }
        guard let number else { throw MetadataLogError(reason: "the gallery cannot be entered into its tables") }
        var session = self
        session.gallery = number
        session.log = "\(identity)/\(number)"
        _ = try await ask("LISTEN \(session.channel)")
        return session
    }

    var channel: String { "tessera_\(gallery)" }

    /// Metadata that other nodes have published after this change.
    func received(
        after position: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Received {
        let rows = try await ask(Statements.follow, ["\(gallery)", "\(position)", "\(node)", "\(pace.batch)"])
        return try Received(rows, after: position, batch: pace.batch)
    }

    /// Publishes metadata, except what the database cannot store.
    ///
    /// - Returns: The metadata that the database rejects because of its content.
    func publish(
        _ metadata: [SharedMetadata], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [SharedMetadata] {
        guard !metadata.isEmpty else { return [] }
        guard let refusal = try await refusal(of: metadata) else { return [] }
        guard metadata.count > 1 else { return metadata }
        let half = metadata.count / 2
        let first = try await publish(Array(metadata[..<half]))
        let refused = first + (try await publish(Array(metadata[half...])))
        // If everything is rejected, the content is not the reason.
        if refused.count > 4, refused.count == metadata.count { throw refusal }
        return refused
    }

    /// Why the database cannot store some of this metadata; nil if it has stored all. Throws any other error.
    private func refusal(
        of metadata: [SharedMetadata], isolation: isolated (any Actor)? = #isolation
    ) async throws -> PostgresError? {
        do {
            let rows = String(decoding: metadata.map(LogRow.init).json(), as: UTF8.self)
            let parameters = ["\(gallery)", "\(node)", rows, "\(metadata.count)", channel]
            _ = try await ask(Statements.publish, parameters)
            return nil
        } catch let error as PostgresError {
            // Data exceptions and violated length limits (PostgreSQL, appendix A).
            guard case .refused(let code, _) = error, code.hasPrefix("22") || code == "23514" else { throw error }
            return error
        }
    }

    /// Locks the contents that no other node is indexing now.
    func lock(
        _ contents: [ImageContent], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Set<ImageID> {
        let images = Statements.array(contents.map { Int64(bitPattern: $0.image.rawValue) })
        let rows = try await ask(Statements.lock, [images, Statements.array(contents.map { key(of: $0.image) })])
        return Set(rows.compactMap { $0.integer(0).map { ImageID(rawValue: UInt64(bitPattern: $0)) } })
    }

    func unlock(_ images: some Sequence<ImageID>, isolation: isolated (any Actor)? = #isolation) async throws {
        _ = try await ask(Statements.unlock, [Statements.array(images.map { key(of: $0) })])
    }

    /// Metadata of these contents from nodes that have indexed them.
    func known(
        _ contents: [ImageContent], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [SharedMetadata] {
        let rows = try await ask(
            Statements.known,
            [
                "\(gallery)", Statements.array(contents.map { Int64(bitPattern: $0.image.rawValue) }),
                Statements.array(contents.map { Int64(bitPattern: $0.version.rawValue) }),
                "\(ImageMetadata.currentReader)",
                Statements.array(contents.map { Int64(bitPattern: $0.sidecars.rawValue) }),
            ])
        return rows.compactMap { SharedMetadata($0, from: 0) }
    }

    private func key(of image: ImageID) -> Int64 {
        Int64(bitPattern: SplitMix.mixed(image.rawValue, with: UInt64(bitPattern: gallery)))
    }

    func ask(
        _ statement: String, _ parameters: [String?] = [], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [PostgresRow] {
        try await connection.query(statement, parameters, within: pace.statementTimeout)
    }
}
