import ArgumentParser
import Postgres

/// The database that the nodes of a gallery share.
struct DatabaseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database through which nodes of one gallery share image metadata and accounts: postgres://USER:PASSWORD@HOST[:PORT]/DATABASE[?sslmode=…]. (TESSERA_DATABASE; none)",
            valueName: "url"))
    var database: String?

    /// Nil if no database is named.
    ///
    /// - Throws: `ValidationError` for an invalid URL.
    func address() throws -> PostgresAddress? {
        guard let text = try database ?? Environment.value("database") else { return nil }
        do {
            return try PostgresAddress(text)
        } catch {
            throw ValidationError("--database: \(error).")
        }
    }
}
