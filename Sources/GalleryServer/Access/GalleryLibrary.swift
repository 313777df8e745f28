import Accounts
import Catalog
import Glibc
import Logging
import SharedLibrary

/// The accounts of a gallery, and the secret that keys its ids.
struct GalleryLibrary: Sendable {
    private let accounts: Accounts?
    /// The accounts, if they are needed to see the gallery.
    let required: Accounts?
    /// Translates ids for clients.
    let ids: ImageIDCipher
    /// For the names of cookies, if there are accounts.
    let secret: InstallationSecret

    /// Opens the library.
    ///
    /// - Throws: ``AccountsError``, ``GalleryError/accountsOnSeveralNodes``.
    init(_ configuration: Gallery.Configuration, sources: [Source], logger: Logger) async throws {
        let opened = try await Self.accounts(configuration, sources: sources, logger: logger)
        switch configuration.access {
        case .everybody: required = nil
        case .openUntilOwner: required = opened?.hasOwner == true ? opened : nil
        case .accounts: required = opened
        }
        secret = configuration.sharedSecret ?? opened?.secret ?? InstallationSecret(text: "")
        let isShared = opened?.isShared == true
        // Nobody signs in, so other nodes' changes do not matter.
        if isShared, required == nil { await opened?.close() }
        accounts = isShared ? required : opened
        guard configuration.isCluster else {
            ids = opened == nil ? .none : ImageIDCipher(key: secret.key(for: "image ids"))
            return
        }
        guard required == nil || isShared else {
            await opened?.close()
            throw GalleryError.accountsOnSeveralNodes
        }
        let isKeyed = isShared || configuration.sharedSecret != nil
        ids = isKeyed ? ImageIDCipher(key: secret.key(for: "image ids")) : .none
        if !isKeyed {
            logger.warning(
                "Ids of images can be guessed from file names. Give all nodes the same secret (TESSERA_SECRET).")
        }
    }

    /// Nil without a library, or if there is none yet and it cannot be created, as on a full disk: a gallery that is open to
    /// everybody works without.
    private static func accounts(
        _ configuration: Gallery.Configuration, sources: [Source], logger: Logger
    ) async throws -> Accounts? {
        if let address = configuration.database {
            guard configuration.access != .everybody else { return nil }
            let accounts = try await Accounts.open(logger: logger) { () throws(AccountsError) in
                try PostgresLibrary(address, gallery: ClusterName.of(sources), logger: logger)
            }
            if !accounts.hasOwner, let path = configuration.library { warn(ofAccountsIn: path, logger) }
            return accounts
        }
        guard let path = configuration.library else { return nil }
        do {
            return try await Accounts.open(path: path, logger: logger)
        } catch {
            var status = stat()
            let isEmpty = stat(path, &status) != 0 || status.st_size == 0
            guard configuration.access != .accounts, isEmpty else { throw error }
            logger.warning("\(error) Ids of images can be guessed until it exists.")
            return nil
        }
    }

    /// Logs that a library has not been moved to the database, which has no accounts yet.
    private static func warn(ofAccountsIn path: String, _ logger: Logger) {
        guard let move = try? LibraryMove(file: path), move.accountCount > 0 else { return }
        logger.warning(
            """
            The database has no accounts, but \(path) does. To move them, run “tessera move-library \(path) SOURCE… \
            --database URL” with the nodes' sources and database, then restart all nodes.
            """)
    }

    func close() async { await accounts?.close() }
}

/// Why a gallery cannot be opened.
enum GalleryError: Error, CustomStringConvertible {
    case accountsOnSeveralNodes

    var description: String {
        """
        With --redis, accounts need a PostgreSQL database that all nodes share: add --database. Or start with --open, which \
        shows everything to everybody who reaches the port, and let a proxy in front authenticate people.
        """
    }
}
