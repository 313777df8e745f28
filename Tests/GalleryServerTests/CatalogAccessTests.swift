import HTTPServer
import HTTPTypes
import Loading
import Testing

@testable import Catalog
@testable import GalleryServer

@Suite struct CatalogAccessTests {
    @Test func `only what is gone is said to be gone, and what may pass says when to ask again`() {
        let expected: [(CatalogError.Unavailability, Int)] = [
            (.gone, 404), (.forbidden, 403), (.passing(errno: 24), 503), (.passing(errno: 5), 503),
        ]
        for (unavailability, status) in expected {
            let error = CatalogError.fileUnavailable(unavailability, reason: "r")
            let failure = LoadFailure(opening: "a.jpg", error)
            #expect(failure.status == status && !failure.isPermanent)
            #expect((failure.retryAfter != nil) == (status == 503))
            let problem = Problem(error).response
            #expect(problem.status.code == status)
            #expect((problem.headers[.retryAfter] != nil) == (status == 503))
        }
        #expect(LoadFailure(opening: "a.jpg", .closed).status == 503)
    }
}
