import GRDB

/// SIEVE over the rows of a table, whose `sequence` is the order of arrival, `used` the bit of use, and `size` the cost.
/// The same policy as ``Sieve``; the list is the table itself.
struct SieveTable: Sendable {
    let table: String
    let size: String
    /// Which rows count at all.
    let condition: String
    private var hand: Int64 = 0

    init(table: String, size: String, condition: String = "TRUE") {
        self.table = table
        self.size = size
        self.condition = condition
    }

    struct Victim: Sendable {
        let sequence: Int64
        let size: Int64
    }

    /// The sum of the sizes, by asking the table.
    func total(_ database: Database) throws -> Int64 {
        try database.integer("SELECT COALESCE(SUM(\(size)), 0) FROM \(table) WHERE \(condition)") ?? 0
    }

    /// The `sequence` of the row that came in last.
    func newest(_ database: Database) throws -> Int64 {
        try database.integer("SELECT MAX(sequence) FROM \(table)") ?? 0
    }

    /// Picks rows to go until their sizes sum to `excess`, forgiving those that were used since the hand came by last.
    /// The caller deletes them.
    ///
    /// - Parameter newcomers: The `sequence` before the first of the rows that came in just now. They go only when all
    ///   others have gone: a hand that has come to the end of the line would else take each newcomer for ever.
    mutating func victims(_ database: Database, excess: Int64, sparing newcomers: Int64) throws -> [Victim] {
        var victims: [Victim] = []
        var picked: Set<Int64> = []
        var rest = excess
        // Twice around: the first round forgives everything, the second finds it unused. A third for the newcomers.
        var rounds = 0
        while rest > 0, rounds < 4 {
            let rows = try database.rows(
                """
                SELECT sequence, \(size) AS cost, used FROM \(table)
                WHERE sequence > ? AND sequence <= ? AND \(condition) ORDER BY sequence LIMIT 64
                """, [hand, rounds < 2 ? newcomers : .max])
            if rows.isEmpty {
                hand = 0
                rounds += 1
            }
            var forgiven: [Int64] = []
            for row in rows where rest > 0 {
                let sequence: Int64 = row["sequence"]
                hand = sequence
                if (row["used"] as Int64) != 0 {
                    forgiven.append(sequence)
                } else if picked.insert(sequence).inserted {
                    let size: Int64 = row["cost"]
                    victims.append(Victim(sequence: sequence, size: size))
                    rest -= size
                }
            }
            for sequence in forgiven {
                try database.run("UPDATE \(table) SET used = 0 WHERE sequence = ?", [sequence])
            }
        }
        return victims
    }

    /// Forgets where the hand was: after a database was begun anew.
    mutating func reset() { hand = 0 }
}
