import Testing

@testable import GalleryServer

@Suite struct IndexingReportTests {
    @Test func `a complete gallery is reported in one sentence`() {
        let report = IndexingReport(total: 209, postponed: 0, read: 209, broken: 0)
        #expect("\(report)" == "All 209 images are indexed.")
    }

    @Test
    func `files that cannot be displayed are counted among those just read, of which there may be more than images`() {
        let report = IndexingReport(total: 209, postponed: 0, read: 1200, broken: 1024)
        #expect("\(report)" == "All 209 images are indexed. Of the 1200 just read, 1024 cannot be displayed.")
    }

    @Test func `files that could not be read are not called indexed`() {
        let report = IndexingReport(total: 10, postponed: 3, read: 7, broken: 1)
        #expect(
            "\(report)"
                == "7 of 10 images are indexed; 3 cannot be read now and will be tried again. Of the 7 just read, 1 cannot be displayed."
        )
    }

    @Test func `more postponed files than images, as when folders vanish, are no negative number`() {
        #expect("\(IndexingReport(total: 1, postponed: 3, read: 1, broken: 0))".hasPrefix("0 of 1 images"))
    }
}
