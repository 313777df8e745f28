import Catalog
import Images
import Postgres

/// One connection's dealings with the log.
struct LogSession {
    let connection: PostgresConnection
    private let name: String
    private let node: Int64
    private let pace: PostgresFactsLog.Pace
    /// The gallery's number in this database.
    private(set) var gallery: Int64 = 0
    /// What a ledger knows the log by.
    private(set) var log = ""

    /// Facts that others have told, and where the log goes on.
    struct Heard {
        let facts: [SharedFacts]
        /// From here on nothing has been heard.
        let position: Int64
        /// The last change that there is.
        let head: Int64
        let hasMore: Bool
    }

    init(_ connection: PostgresConnection, gallery: String, node: Int64, pace: PostgresFactsLog.Pace) {
        self.connection = connection
        name = gallery
        self.node = node
        self.pace = pace
    }

    /// The session, with the tables as they should be, and told of each change from now on.
    ///
    /// - Throws: ``PostgresError``, ``FactsLogFault``.
    func begun(isolation: isolated (any Actor)? = #isolation) async throws -> LogSession {
        _ = try await ask(Statements.settings(pace.answer))
        guard try await ask(Statements.encoding).first?.text(0) == "UTF8" else {
            throw FactsLogFault(reason: "it does not keep all characters: make the database with ENCODING 'UTF8'")
        }
        let form = try await Schema.bringUp(connection)
        if let objection = form.objection { throw FactsLogFault(reason: objection) }
        // One that another makes at this moment is seen by the next look.
        var number: Int64?
        for _ in 0..<3 where number == nil { number = try await ask(Statements.gallery, [name]).first?.integer(0) }
        guard let number else { throw FactsLogFault(reason: "the gallery cannot be entered into its tables") }
        var session = self
        session.gallery = number
        session.log = "\(form.identity)/\(number)/\(try await timeline())"
        _ = try await ask("LISTEN \(session.channel)")
        return session
    }

    /// Empty where the server does not tell: some that speak PostgreSQL's protocol have none.
    private func timeline(isolation: isolated (any Actor)? = #isolation) async throws -> String {
        do {
            return try await ask(Statements.timeline).first?.text(0) ?? ""
        } catch PostgresError.refused {
            return ""
        }
    }

    var channel: String { "tessera_\(gallery)" }

    /// What others have told since a change.
    func heard(
        after position: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Heard {
        let rows = try await ask(Statements.follow, ["\(gallery)", "\(position)", "\(node)", "\(pace.batch)"])
        guard let head = rows.first?.integer(0) else { throw FactsLogFault(reason: "the gallery has left its tables") }
        let facts = rows.compactMap { SharedFacts($0, from: 2) }
        let hasMore = rows.count >= pace.batch
        let last = rows.last?.integer(1) ?? head
        return Heard(facts: facts, position: hasMore ? last : head, head: head, hasMore: hasMore)
    }

    /// Adds facts to the log, or those of them that the database can keep.
    ///
    /// - Returns: those that it refuses, for what is in them.
    func tell(
        _ facts: [SharedFacts], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [SharedFacts] {
        guard !facts.isEmpty else { return [] }
        guard let refusal = try await refusal(of: facts) else { return [] }
        guard facts.count > 1 else { return facts }
        let half = facts.count / 2
        let first = try await tell(Array(facts[..<half]))
        let refused = first + (try await tell(Array(facts[half...])))
        // It is not what is in them.
        if refused.count > 4, refused.count == facts.count { throw refusal }
        return refused
    }

    /// Why the database cannot keep something of these facts; nil where it has kept all. Any other failure is thrown.
    private func refusal(
        of facts: [SharedFacts], isolation: isolated (any Actor)? = #isolation
    ) async throws -> PostgresError? {
        do {
            let parameters = ["\(gallery)", "\(node)", try FactsText.of(facts), "\(facts.count)", channel]
            _ = try await ask(Statements.tell, parameters)
            return nil
        } catch let error as PostgresError {
            // Data exceptions, and what is longer than it can be (PostgreSQL, appendix A).
            guard case .refused(let code, _) = error, code.hasPrefix("22") || code == "23514" else { throw error }
            return error
        }
    }

    /// Takes what nobody else looks into now.
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

    /// What is known of these contents by those who looked into them.
    func known(
        _ contents: [ImageContent], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [SharedFacts] {
        let rows = try await ask(
            Statements.known,
            [
                "\(gallery)", Statements.array(contents.map { Int64(bitPattern: $0.image.rawValue) }),
                Statements.array(contents.map { Int64(bitPattern: $0.version.rawValue) }),
                "\(ImageFacts.presentExamination)",
            ])
        return rows.compactMap { SharedFacts($0, from: 0) }
    }

    private func key(of image: ImageID) -> Int64 {
        Int64(bitPattern: SplitMix.mixed(image.rawValue, with: UInt64(bitPattern: gallery)))
    }

    func ask(
        _ statement: String, _ parameters: [String?] = [], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [PostgresRow] {
        try await connection.query(statement, parameters, within: pace.answer)
    }
}
