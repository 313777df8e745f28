import Dispatch
import GRDB
import Testing

@testable import Catalog
@testable import GalleryServer
@testable import HTTPServer

@Suite struct OperationRoutesTests {
    @Test(arguments: [
        ("/home/alice/Pictures/", "Pictures, a.jpg: gone"), ("lists/urls.txt", "urls.txt, a.jpg: gone"),
        ("/", "/, a.jpg: gone"),
    ])
    func `a public problem text does not reveal the path of a source`(source: String, text: String) {
        let problem = CatalogState.Problem(source: source, path: "a.jpg", reason: "gone")
        #expect(OperationRoutes.publicText(problem) == text)
    }
}

@Suite struct ReadinessTests {
    @Test func `the gallery is not ready while its server stops, and still responds`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 9)])
        gallery.figures.beginStop()
        let answer = try await gallery.get("/readyz")
        #expect(answer.status == 503 && answer.header("Retry-After") != nil)
        #expect(try await answer.json(as: ProblemAnswer.self).detail == "The server is stopping.")
        #expect(try await gallery.get("/healthz").status == 200)
        await gallery.close()
    }

    @Test func `the gallery is not ready while its index is being repaired`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 9)])
        #expect(try await gallery.get("/readyz").status == 200)
        // The index is not repaired while the scanning queue is suspended.
        gallery.catalog.scanning.suspend()
        try await gallery.catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM image") }
        let refused = try await gallery.get("/api/v1/images")
        #expect(refused.status == 503 && refused.header("Retry-After") != nil)
        let answer = try await gallery.get("/readyz")
        #expect(answer.status == 503 && answer.header("Retry-After") != nil)
        #expect(try await answer.json(as: ProblemAnswer.self).detail == "The index is being repaired.")
        #expect(try await gallery.get("/healthz").status == 200)
        gallery.catalog.scanning.resume()
        while gallery.catalog.isRepairing { await gallery.catalog.scanCompleted() }
        #expect(try await gallery.get("/readyz").status == 200)
        #expect(try await gallery.get("/api/v1/images").json(as: PageAnswer.self).total == 1)
        await gallery.close()
    }
}
