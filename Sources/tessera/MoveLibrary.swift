import Accounts
import ArgumentParser
import GalleryServer

/// `tessera move-library FILE SOURCE…`: moves accounts and shares from a file to the database that several nodes share.
struct MoveLibrary: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move accounts and shares from library.sqlite to the database of several nodes.",
        discussion: """
            Stop the server that uses FILE, and name the same sources and database as for the nodes:

              tessera move-library /var/lib/tessera/library.sqlite /mnt/Pictures --database postgres://…

            FILE is only read. The database may not have any accounts of this gallery yet.
            """)

    @Argument(help: ArgumentHelp("The file of the accounts, library.sqlite.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp("The sources of the gallery, as for tessera serve. (TESSERA_SOURCE)", valueName: "source"))
    var sources: [String] = []

    @OptionGroup var database: DatabaseOption

    func run() throws {
        let words = sources.isEmpty ? Environment.values("source") : sources
        guard !words.isEmpty else {
            throw ValidationError("Specify each SOURCE of the gallery after FILE, as for tessera serve.")
        }
        guard let address = try database.address() else {
            throw ValidationError("Specify the nodes' database with --database or TESSERA_DATABASE.")
        }
        let move = try LibraryMove(file: file)
        try move.write(to: address, ofGallery: words)
        StandardStreams.print(
            """
            Moved to \(address): accounts: \(move.accountCount), shares: \(move.shareCount), entries of the audit log: \
            \(move.entryCount).
            Now start all nodes with --database; restart those that are running.
            Keep \(file) as a backup, but do not start a server with it again.
            """)
    }
}
