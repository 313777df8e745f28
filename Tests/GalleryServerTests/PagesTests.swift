import Catalog
import HTTPTypes
import Images
import Testing

@testable import GalleryServer

@Suite struct PagesTests {
    @Test func `following next reads each image once and in order`() async throws {
        let files = try (1...7).map { ("IMG_\($0).jpg", try picture(red: UInt8($0))) }
        let gallery = try await TestGallery(files: Dictionary(uniqueKeysWithValues: files))
        var names: [String] = []
        var target: String? = "/api/v1/images?limit=3"
        while let here = target {
            let answer = try await gallery.get(here)
            let page: PageAnswer = try await answer.json()
            #expect(page.total == 7)
            names += page.images.map(\.name)
            target = page.next.map { "/api/v1/images?limit=3&cursor=\($0)" }
            #expect(answer.header("Link") == target.map { "<\($0)>; rel=\"next\"" })
        }
        #expect(names == (1...7).map { "IMG_\($0).jpg" })
        await gallery.close()
    }

    @Test func `the last page has no next cursor`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let answer = try await gallery.get("/api/v1/images")
        let text = String(decoding: await answer.body() ?? [], as: UTF8.self)
        #expect(text.contains(#""next":null"#))
        #expect(answer.header("Link") == nil)
        await gallery.close()
    }

    @Test(arguments: [
        ("limit=0", "limit"), ("limit=501", "limit"), ("limit=ten", "limit"), ("limit=", "limit"),
        ("limit=5&limit=6", "limit"), ("offset=-1", "offset"), ("offset=99999999999999999999", "offset"),
        ("cursor=AAAA", "cursor"), ("cursor=", "cursor"), ("cursor=x&offset=1", "cursor"),
    ])
    func `an invalid parameter is named in the error`(query: String, field: String) async throws {
        let gallery = try await TestGallery(files: [:])
        let answer = try await gallery.get("/api/v1/images?\(query)")
        #expect(answer.status == 400)
        #expect(answer.header("Content-Type") == "application/problem+json")
        let problem: ProblemAnswer = try await answer.json()
        #expect(problem.field == field)
        await gallery.close()
    }

    @Test func `a page of many images is compressed if the client accepts gzip`() async throws {
        let one = try picture(red: 1)
        let files = (1...20).map { ("IMG_\($0).jpg", one) }
        let gallery = try await TestGallery(files: Dictionary(uniqueKeysWithValues: files))
        let plain = try await gallery.get("/api/v1/images")
        let compressed = try await gallery.get("/api/v1/images", headers: [.acceptEncoding: "gzip, deflate, br"])
        #expect(plain.header("Content-Encoding") == nil)
        #expect(compressed.header("Content-Encoding") == "gzip")
        for answer in [plain, compressed] { #expect(answer.header("Vary") == "Accept-Encoding") }
        let (large, small) = (try #require(await plain.body()), try #require(await compressed.body()))
        #expect(small.starts(with: [0x1f, 0x8b]) && small.count < large.count / 3)
        await gallery.close()
    }

    @Test func `an offset beyond the end gives an empty page`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images?offset=1000000").json()
        #expect(page.images.isEmpty)
        #expect(page.total == 1)
        await gallery.close()
    }

    @Test func `image details include the name, and an unknown image is 404`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let details: PageAnswer.Image = try await gallery.get("/api/v1/images/\(page.images[0].id)").json()
        #expect(details.name == "a.jpg")
        for id in ["0000000000000", "nonsense", "..%2F..%2Fetc%2Fpasswd", "%00"] {
            #expect(try await gallery.get("/api/v1/images/\(id)").status == 404)
        }
        await gallery.close()
    }

    @Test func `pages and image details mark only incomplete images as incomplete`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1), "b.jpg": try picture(red: 2)])
        for (image, isIncomplete) in zip(try await gallery.catalog.images(at: 0..<2), [true, false]) {
            var metadata = ImageMetadata()
            metadata.isIncomplete = isIncomplete
            gallery.catalog.learned(metadata, version: image.version, of: image.id)
        }
        let answer = try await gallery.get("/api/v1/images")
        let page: PageAnswer = try await answer.json()
        #expect(page.images.map(\.incomplete) == [true, nil])
        for image in page.images {
            let details: PageAnswer.Image = try await gallery.get("/api/v1/images/\(image.id)").json()
            #expect(details.incomplete == image.incomplete)
        }
        await gallery.close()
    }

    @Test func `conditional requests for pages and image details get 304 or 412`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        for target in ["/api/v1/images", "/api/v1/images/\(page.images[0].id)"] {
            let tag = try #require(try await gallery.get(target).header("ETag"))
            #expect(try await gallery.get(target).header("ETag") == tag)
            let again = try await gallery.get(target, headers: [.ifNoneMatch: tag])
            #expect(again.status == 304)
            #expect(again.header("ETag") == tag)
            #expect(await again.body() == [])
            #expect(try await gallery.get(target, headers: [.ifNoneMatch: "\"other\""]).status == 200)
            #expect(try await gallery.get(target, headers: [.ifNoneMatch: "*"]).status == 304)
            #expect(try await gallery.get(target, headers: [.ifMatch: tag]).status == 200)
            #expect(try await gallery.get(target, headers: [.ifMatch: "\"other\""]).status == 412)
        }
        await gallery.close()
    }

    @Test func `each content coding of a page has its own entity tag`() async throws {
        let files = Dictionary(uniqueKeysWithValues: try (0..<20).map { ("\($0).jpg", try picture(red: UInt8($0))) })
        let gallery = try await TestGallery(files: files)
        let plain = try await gallery.get("/api/v1/images")
        let small = try await gallery.get("/api/v1/images", headers: [.acceptEncoding: "gzip"])
        #expect(small.header("Content-Encoding") == "gzip")
        #expect(plain.header("Content-Encoding") == nil)
        let tags = (try #require(plain.header("ETag")), try #require(small.header("ETag")))
        #expect(tags.0 != tags.1)
        #expect(plain.header("Vary") == "Accept-Encoding" && small.header("Vary") == "Accept-Encoding")
        let again = try await gallery.get(
            "/api/v1/images", headers: [.acceptEncoding: "gzip", .ifNoneMatch: tags.1])
        #expect(again.status == 304)
        #expect(again.header("Vary") == "Accept-Encoding")
        await gallery.close()
    }

    @Test func `OPTIONS for the whole server lists its methods, and an unknown method is 501`() async throws {
        let gallery = try await TestGallery(files: [:])
        let options = try await gallery.ask(.options, "*")
        #expect(options.status == 204)
        #expect(options.header("Allow") == "DELETE, GET, HEAD, OPTIONS, POST")
        for target in ["/", "/api/v1/images", "/nothing"] {
            #expect(try await gallery.ask(try #require(HTTPRequest.Method("BREW")), target).status == 501)
        }
        await gallery.close()
    }

    @Test func `unknown paths are 404 and wrong methods 405 with Allow`() async throws {
        let gallery = try await TestGallery(files: [:])
        #expect(try await gallery.get("/api/v1/nothing").status == 404)
        let answer = try await gallery.ask(.delete, "/api/v1/images")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD, OPTIONS")
        await gallery.close()
    }
}
