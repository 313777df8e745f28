/// The tables of one module in a database, in a schema of their own, and their migrations.
public struct PostgresSchema: Sendable {
    /// The name of the schema. Its table `form`, which the first migration creates and fills, describes it.
    public let name: String
    private let steps: [[String]]
    private let lock: Int
    private static let stepTime = Duration.seconds(10)

    /// - Parameters:
    ///   - steps: The statements of each migration. Released statements never change.
    ///   - lock: Makes nodes starting at the same time migrate one after another. Different for each schema.
    public init(name: String, steps: [[String]], lock: Int) {
        self.name = name
        self.steps = steps
        self.lock = lock
    }

    /// The schema as the database describes it.
    public struct Form: Hashable, Sendable {
        public let form: Int
        /// The oldest schema version whose programs can still use it.
        public let oldest: Int
        /// Distinguishes this database from any other, including one that was created anew.
        public let identity: String
    }

    /// Why a database that responds cannot be used, in words for the log.
    public struct Unusable: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Creates or migrates the tables if necessary, and returns the schema's description.
    ///
    /// - Throws: ``PostgresError``, ``Unusable``.
    public func bringUp(
        _ connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Form {
        let form = try await migrated(connection)
        guard form.oldest <= steps.count else {
            throw Unusable(
                description:
                    "its tables were made by a newer program (form \(form.form)); this one knows form \(steps.count): update it"
            )
        }
        return form
    }

    private func migrated(
        _ connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Form {
        if let form = try await form(connection), form.form >= steps.count { return form }
        _ = try await connection.query("BEGIN", within: Self.stepTime)
        let time = "\(Self.stepTime / .milliseconds(1))"
        _ = try await connection.query(
            "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true)", [time],
            within: Self.stepTime)
        _ = try await connection.query("SELECT pg_advisory_xact_lock(\(lock))", within: Self.stepTime)
        // Another node may have migrated them meanwhile.
        let known = try await form(connection)?.form ?? 0
        for step in steps.dropFirst(known) {
            for statement in step { _ = try await connection.query(statement, within: Self.stepTime) }
        }
        if known < steps.count {
            _ = try await connection.query("UPDATE \(name).form SET form = \(steps.count)", within: Self.stepTime)
        }
        _ = try await connection.query("COMMIT", within: Self.stepTime)
        guard let form = try await form(connection) else { throw Unusable(description: "its tables cannot be read") }
        return form
    }

    private func form(
        _ connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Form? {
        // Queries the system catalog directly: a session caches negative results of `to_regclass` for as long as a
        // transaction waits for a lock.
        let there = try await connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relname = 'form')
            """, [name], within: Self.stepTime)
        guard there.first?.flag(0) == true else { return nil }
        let rows = try await connection.query(
            "SELECT form, oldest, identity::text FROM \(name).form", within: Self.stepTime)
        guard let row = rows.first, let form = row.count(0), form >= 0, let oldest = row.count(1),
            let identity = row.text(2)
        else {
            throw Unusable(description: "its tables are not Tessera's")
        }
        return Form(form: form, oldest: oldest, identity: identity)
    }
}
