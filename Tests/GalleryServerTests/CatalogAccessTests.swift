import HTTPServer
import HTTPTypes
import Loading
import Testing

@testable import Catalog
@testable import GalleryServer

@Suite struct CatalogAccessTests {
    @Test func `a missing file is 404, a forbidden one 403, and a temporary failure 503 with Retry-After`() {
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
