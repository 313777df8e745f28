import Catalog
import Images
import Loading

/// Connects the loader and the catalog, which don't know each other: opens local pictures beneath the catalog's roots
/// for the loader, and passes the metadata that the loader finds to the catalog.
struct CatalogAccess: FileOpening, MetadataReceiving {
    let catalog: Catalog

    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32 {
        do {
            return try catalog.openFile(folder: folder, path: path).release()
        } catch {
            throw LoadFailure(opening: path, error)
        }
    }

    func learned(_ metadata: ImageMetadata, version: ContentVersion?, of image: ImageID) {
        catalog.learned(metadata, version: version, of: image)
    }
}

extension LoadFailure {
    /// Why a local picture can't be opened. It is reported as gone only if the catalog knows that it is; any other
    /// failure of the disk or this process may be temporary.
    init(opening path: String, _ error: CatalogError) {
        let detail = "\(path): \(error)"
        switch error {
        case .fileUnavailable(.gone, _):
            self.init(status: 404, publicMessage: "The picture's file is gone.", logDetail: detail)
        case .fileUnavailable(.forbidden, _):
            self.init(
                status: 403, publicMessage: "The server is not permitted to read the picture's file.", logDetail: detail
            )
        default:
            self.init(
                status: 503, publicMessage: "The picture's file cannot be read at the moment.", logDetail: detail,
                retryAfter: .seconds(5))
        }
    }
}
