public import Accounts
import Catalog
import Logging
public import Postgres
import SharedLibrary

extension LibraryMove {
    /// Makes this the library that the nodes of a gallery share. Blocking.
    ///
    /// - Parameters:
    ///   - address: The database of the nodes.
    ///   - arguments: The SOURCE arguments of the nodes, which name the gallery.
    /// - Throws: `CatalogError.badSource`, ``Refusal``.
    public func write(to address: PostgresAddress, ofGallery arguments: [String]) throws {
        let gallery = try ClusterName.of(arguments: arguments)
        var pace = PostgresLibrary.Pace()
        pace.openingTime = Self.openingTime
        pace.statementTimeout = Self.writingTime
        let library: PostgresLibrary
        do {
            // The errors say what the log would.
            let silent = Logger(label: "tessera.library") { _ in SwiftLogNoOpLogHandler() }
            library = try PostgresLibrary(address, gallery: gallery, pace: pace, logger: silent)
        } catch {
            guard case .library(let place, let reason) = error else { throw error }
            throw Refusal.unreachable(place: place, reason: reason)
        }
        defer { library.close() }
        try write(to: library)
    }

    private static let openingTime = Duration.seconds(5)
    /// For all records and a full audit log in one statement.
    private static let writingTime = Duration.seconds(120)
}
