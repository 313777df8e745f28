import GRDB

/// SIEVE over the rows of a table: `sequence` is the order of insertion, `used` the use bit, and `size` the cost. The
/// same policy as ``Sieve``, with the table itself as the list.
struct SieveTable: Sendable {
    let table: String
    let size: String
    /// The SQL condition for rows that count.
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

    /// The sum of the sizes, from a query of the whole table.
    func total(_ database: Database) throws -> Int64 {
        try database.integer("SELECT COALESCE(SUM(\(size)), 0) FROM \(table) WHERE \(condition)") ?? 0
    }

    /// The `sequence` of the newest row.
    func newest(_ database: Database) throws -> Int64 {
        try database.integer("SELECT MAX(sequence) FROM \(table)") ?? 0
    }

    /// Picks rows to evict until their sizes sum to `excess`, sparing rows used since the hand's last visit. The caller
    /// deletes them.
    ///
    /// - Parameter newcomers: The `sequence` before the first of the rows just inserted. Those are evicted only after
    ///   all others: otherwise a hand that has reached the newest rows would keep evicting each new one.
    mutating func victims(_ database: Database, excess: Int64, sparing newcomers: Int64) throws -> [Victim] {
        var victims: [Victim] = []
        var picked: Set<Int64> = []
        var rest = excess
        // The first round clears the use bits and the second finds the rows unused. A third is for the newest rows.
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

    /// Forgets the position of the hand, for a database that was replaced.
    mutating func reset() { hand = 0 }
}
