public import Images
public import Logging

/// The gallery's images in their order, from one source or several: what there is, where it is kept, and what has been
/// learnt of it.
public final class Catalog: Sendable {
    /// Opens the index in the data folder, checks that the sources can be read, and begins to read them. Returns as soon
    /// as browsing can start: what is known from the last time is there at once, the rest comes while it is read.
    ///
    /// - Throws: `CatalogError`, of a kind that the person at the command line can act on.
    public static func open(
        _ configuration: Configuration, sources: [Source], logger: Logger
    ) async throws -> Catalog {
        try configuration.validate()
        return Catalog()
    }

    /// The present state; any thread, never waits.
    public var state: CatalogState {
        CatalogState(revision: 1, total: 0, isScanning: false, problems: .init(), sources: [])
    }

    /// At most `limit` images from the one with the index `offset` on; beyond the end an empty page.
    ///
    /// - Throws: `CatalogError.offsetOutOfRange`, `.limitOutOfRange`, `.indexUnavailable`, `.closed`.
    public func page(offset: Int, limit: Int) async throws -> Page {
        throw CatalogError.closed
    }

    /// At most `limit` images that follow the cursor's place. A reader that follows `next` sees each image that was
    /// there all along exactly once, whatever is added or removed meanwhile.
    ///
    /// - Throws: `CatalogError.staleCursor`, `.limitOutOfRange`, `.indexUnavailable`, `.closed`.
    public func page(after cursor: Cursor, limit: Int) async throws -> Page {
        throw CatalogError.closed
    }

    /// The image with this id, or nil when the catalog has none.
    ///
    /// - Throws: `CatalogError.indexUnavailable`, `.closed`.
    public func image(_ id: ImageID) async throws -> GalleryImage? {
        throw CatalogError.closed
    }

    /// The images with these indices, as far as there are any.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.indexUnavailable`, `.closed`.
    public func images(at range: Range<Int>) async throws -> [GalleryImage] {
        throw CatalogError.closed
    }

    /// Keeps what was learnt of an image by looking into it. Any thread, returns at once; written in batches, and seen
    /// by readers from now on.
    ///
    /// - Parameter version: the content that was looked into. Facts of a content that is not a file's present one are
    ///   dropped; for a remote image it becomes the version that the catalog believes current.
    public func learned(_ facts: ImageFacts, version: ContentVersion?, of id: ImageID) {
    }

    /// Opens a file of a folder source for reading. Blocking; call it where files are read.
    ///
    /// The path is resolved beneath the folder's root only: no `..`, no symbolic link that leaves it, nothing but a
    /// regular file.
    ///
    /// - Parameters:
    ///   - folder: the ordinal in `ImageLocation.file`.
    ///   - path: the path in `ImageLocation.file`.
    /// - Throws: `CatalogError.fileUnavailable`.
    public func openFile(folder: Int, path: String) throws(CatalogError) -> OpenFile {
        throw .closed
    }

    /// Reads the sources again; what has changed is seen when a source has been read to its end. Returns at once.
    public func rescan() {
    }

    /// Returns when no source is being read and none is waiting to be.
    public func scanCompleted() async {
    }

    /// Stops reading, writes what was learnt, and lets the data folder go. Idempotent; everything later throws `.closed`.
    public func close() async {
    }
}
