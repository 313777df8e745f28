import Accounts
import Glibc
import Logging

/// The accounts of a gallery, and the secret that keys its ids.
struct GalleryLibrary: Sendable {
    private let accounts: Accounts?
    /// The accounts, if they are needed to see the gallery.
    let required: Accounts?
    /// Translates ids for clients.
    let ids: ImageIDCipher
    /// For the names of cookies, if there are accounts.
    let secret: InstallationSecret

    /// Opens the library. Blocking.
    ///
    /// - Throws: ``AccountsError``, ``GalleryError/accountsOnSeveralNodes``.
    init(_ configuration: Gallery.Configuration, logger: Logger) throws {
        let accounts = try Self.accounts(configuration, logger: logger)
        self.accounts = accounts
        switch configuration.access {
        case .everybody: required = nil
        case .openUntilOwner: required = accounts?.hasOwner == true ? accounts : nil
        case .accounts: required = accounts
        }
        secret = configuration.sharedSecret ?? accounts?.secret ?? InstallationSecret(text: "")
        guard configuration.isCluster else {
            ids = accounts == nil ? .none : ImageIDCipher(key: secret.key(for: "image ids"))
            return
        }
        guard required == nil else {
            accounts?.close()
            throw GalleryError.accountsOnSeveralNodes
        }
        ids = configuration.sharedSecret.map { ImageIDCipher(key: $0.key(for: "image ids")) } ?? .none
        if configuration.sharedSecret == nil {
            logger.warning(
                "Ids of images can be guessed from file names. Give all nodes the same secret (TESSERA_SECRET).")
        }
    }

    /// Nil without a library, or if there is none yet and it cannot be created, as on a full disk: a gallery that is open to
    /// everybody works without.
    private static func accounts(_ configuration: Gallery.Configuration, logger: Logger) throws -> Accounts? {
        guard let path = configuration.library else { return nil }
        do {
            return try Accounts(path: path, logger: logger)
        } catch {
            var status = stat()
            let isEmpty = stat(path, &status) != 0 || status.st_size == 0
            guard configuration.access != .accounts, isEmpty else { throw error }
            logger.warning("\(error) Ids of images can be guessed until it exists.")
            return nil
        }
    }

    func close() { accounts?.close() }
}

/// Why a gallery cannot be opened.
enum GalleryError: Error, CustomStringConvertible {
    case accountsOnSeveralNodes

    var description: String {
        """
        Accounts are not shared between the nodes of a gallery yet. Start with --open, which lets everybody who reaches the \
        port see everything, and let a proxy in front authenticate people.
        """
    }
}
