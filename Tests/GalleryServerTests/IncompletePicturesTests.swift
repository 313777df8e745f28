import EventLoops
import HTTPTypes
import Images
import Loading
import Testing

@testable import GalleryServer
@testable import HTTPServer

@Suite struct IncompletePicturesTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop(label: "test") }

    private func rendered(isIncomplete: Bool) -> RenditionBytes {
        RenditionBytes(
            bytes: [1, 2, 3], mediaType: "image/webp", version: ContentVersion(rawValue: 7), width: 3, height: 2,
            isIncomplete: isIncomplete)
    }

    @Test func `a header marks renditions of incomplete images, from memory and from the loader`() throws {
        let request = try Request(.get, "/images/x/tile", headers: [:], body: [], loop: loop)
        let named = RenditionHeads()
        // The cached head of one is not used for the other.
        for isIncomplete in [false, true, false, true] {
            let bytes = rendered(isIncomplete: isIncomplete)
            let kept = Answer(try #require(named.whole(bytes, isNamed: true, to: request)))
            let made = Answer(Delivery(request: request, rendition: .tile).response(with: .bytes(bytes)))
            for answer in [kept, made] {
                #expect(answer.status == 200)
                #expect(answer.header("Tessera-Incomplete") == (isIncomplete ? "1" : nil))
            }
        }
    }

    @Test func `a truncated file is rendered as far as it goes and marked incomplete`() async throws {
        let whole = try picture(red: 3, width: 640, height: 480)
        let cut = Array(whole.dropLast(whole.count / 4))
        let gallery = try await TestGallery(files: ["cut.jpg": cut, "whole.jpg": whole])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        for (image, mark) in zip(page.images, ["1", nil]) {
            for _ in 0..<2 {
                let answer = try await gallery.get(try #require(image.links["tile"]))
                #expect(answer.status == 200)
                #expect(answer.header("Tessera-Incomplete") == mark)
            }
            let details: PageAnswer.Image = try await gallery.get("/api/v1/images/\(image.id)").json()
            #expect(details.incomplete == (mark == nil ? nil : true))
            let original = try await gallery.get(try #require(image.links["original"]))
            #expect(original.status == 200)
        }
        await gallery.close()
    }
}
