import Testing

@testable import Catalog
@testable import GalleryServer

@Suite struct OperationRoutesTests {
    @Test(arguments: [
        ("/home/alice/Pictures/", "Pictures, a.jpg: gone"), ("lists/urls.txt", "urls.txt, a.jpg: gone"),
        ("/", "/, a.jpg: gone"),
    ])
    func `where a source is kept stays with its owner`(source: String, text: String) {
        let problem = CatalogState.Problem(source: source, path: "a.jpg", reason: "gone")
        #expect(OperationRoutes.publicText(problem) == text)
    }
}
