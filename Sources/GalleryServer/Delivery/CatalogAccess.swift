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
            throw LoadFailure(
                status: 404, publicMessage: "The picture's file is gone or cannot be read.",
                logDetail: "\(path): \(error)")
        }
    }

    func learned(_ facts: ImageFacts, version: ContentVersion?, of image: ImageID) {
        catalog.learned(facts, version: version, of: image)
    }
}
