import Catalog
import Images
import Loading

/// Opens local pictures for the loader beneath the catalog's roots, and hands the catalog what the loader finds out.
/// The two rooms do not know each other; here is where they meet.
struct CatalogAccess: FileOpening, FactsLearning {
    let catalog: Catalog

    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32 {
        do {
            return try catalog.openFile(folder: folder, path: path).release()
        } catch {
            throw LoadFailure(opening: path, error)
        }
    }

    func learned(_ facts: ImageFacts, version: ContentVersion?, of image: ImageID) {
        catalog.learned(facts, version: version, of: image)
    }
}

extension LoadFailure {
    /// Why a local picture cannot be opened. Only of what is said to be gone is that said; what the disk or this process
    /// cannot do now, it may do in a moment.
    init(opening path: String, _ error: CatalogError) {
        let detail = "\(path): \(error)"
        switch error {
        case .fileUnavailable(.gone, _):
            self.init(status: 404, publicMessage: "The picture's file is gone.", logDetail: detail)
        case .fileUnavailable(.forbidden, _):
            self.init(status: 403, publicMessage: "The server may not read the picture's file.", logDetail: detail)
        default:
            self.init(
                status: 503, publicMessage: "The picture's file cannot be read now.", logDetail: detail,
                retryAfter: .seconds(5))
        }
    }
}
