import Addresses
import Clients
import HTTPTypes
import Scheduling
import Testing

@testable import GalleryServer
@testable import HTTPServer

@Suite struct RenditionRouteTests {
    @Test func `a response for the current version is immutable, and any other is revalidated`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        for _ in 0..<2 {
            let named = try await gallery.get(link)
            #expect(named.status == 200)
            #expect(named.header("Cache-Control") == "max-age=31536000, immutable")
        }
        for target in ["/images/\(page.images[0].id)/tile", "/images/\(page.images[0].id)/tile?v=0000000000000"] {
            let answer = try await gallery.get(target)
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "no-cache")
        }
        await gallery.close()
    }

    @Test func `responses from memory and from the loader are the same`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        let made = try await gallery.get(link)
        let kept = try await gallery.get(link)
        #expect(await kept.body() == (await made.body()))
        // A request with an unmet condition takes the normal path, with the same response.
        let asked = try await gallery.get(link, headers: [.ifNoneMatch: "\"other\""])
        #expect(asked.status == 200)
        #expect(await asked.body() == (await made.body()))
        let tag = try #require(made.header("ETag"))
        #expect(try await gallery.get(link, headers: [.ifNoneMatch: tag]).status == 304)
        #expect(try await gallery.get(link, headers: [.range: "bytes=0-3"]).status == 206)
        await gallery.close()
    }

    @Test func `two nodes' different bytes of the same tile have different entity tags`() async throws {
        let source = try noise(width: 1_800, height: 1_200)
        func gallery() async throws -> (gallery: TestGallery, tile: String, large: String) {
            let gallery = try await TestGallery(files: ["a.jpg": source])
            let links = try await (gallery.get("/api/v1/images").json() as PageAnswer).images[0].links
            return (gallery, try #require(links["tile"]), try #require(links["screen"]))
        }
        let first = try await gallery()
        let second = try await gallery()
        // One tile is made from the original, and the other from the cached screen-sized rendition.
        let made = try await first.gallery.get(first.tile)
        #expect(try await second.gallery.get(second.large).status == 200)
        let remade = try await second.gallery.get(second.tile)
        #expect(first.tile == second.tile, "it is the same content of the same image")
        let bodies = (try #require(await made.body()), try #require(await remade.body()))
        try #require(bodies.0 != bodies.1)
        let tags = (try #require(made.header("ETag")), try #require(remade.header("ETag")))
        #expect(tags.0 != tags.1)
        // The entity tag of a node's rendition is the same on every path: immediate, from memory and with a load.
        #expect(try await second.gallery.get(second.tile).header("ETag") == tags.1)
        let spot = try #require(try second.gallery.immediate(second.tile))
        #expect(String(decoding: spot.head.bytes, as: UTF8.self).contains("ETag: \(tags.1)\r\n"))
        #expect(try await second.gallery.get(second.tile, headers: [.ifNoneMatch: tags.1]).status == 304)
        // A download from one node is not continued with another node's bytes.
        let rest = "bytes=\(bodies.0.count / 2)-"
        let foreign = try await second.gallery.get(second.tile, headers: [.range: rest, .ifRange: tags.0])
        #expect(foreign.status == 200)
        #expect(await foreign.body() == bodies.1)
        #expect(try await second.gallery.get(second.tile, headers: [.range: rest, .ifRange: tags.1]).status == 206)
        #expect(try await second.gallery.get(second.tile, headers: [.range: rest, .ifMatch: tags.0]).status == 412)
        await first.gallery.close()
        await second.gallery.close()
    }

    @Test func `an immediate response equals the response of the normal path`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1, width: 400, height: 300)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        for accept in ["image/avif,image/webp,*/*", "image/webp", "*/*", "text/html", ""] {
            let headers: HTTPFields = [.accept: accept]
            let made = try await gallery.get(link, headers: headers)
            for _ in 0..<2 {
                let short = try #require(try gallery.immediate(link, headers: headers))
                let long = try await gallery.get(link, headers: headers)
                #expect(short.head.bytes == long.response.prepared?.bytes)
                #expect(await long.body() == short.body)
                #expect(await made.body() == short.body)
            }
        }
        // A request without `Accept` accepts everything that all clients can show.
        _ = try await gallery.get(link)
        #expect(try gallery.immediate(link)?.head.bytes == (try await gallery.get(link)).response.prepared?.bytes)
        await gallery.close()
    }

    @Test func `any other request takes the normal path`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let (id, link) = (page.images[0].id, try #require(page.images[0].links["tile"]))
        _ = try await gallery.get(link)
        #expect(try gallery.immediate(link) != nil)
        let version = link.split(separator: "=")[1]
        let targets = [
            "/images/\(id)/tile", "/images/\(id)/tile?v=0000000000000", "/images/\(id)/tile?v=\(version)&x=1",
            "/images/\(id)/tile?token=\(version)", "/images/\(id)/til%65?v=\(version)",
            "/images/\(id)/320?v=\(version)",
            "/images/\(id)/tile/?v=\(version)", "//images/\(id)/tile?v=\(version)",
            "/images/\(id)/original?v=\(version)",
            "/images/\(id)/pyramid?v=\(version)", "/images/0000000000000/tile?v=\(version)", "/", "/images/",
            "/images/\(id)",
            "/images/\(id)/tile?v=\(version.uppercased())",
        ]
        for target in targets { #expect(try gallery.immediate(target) == nil, "\(target)") }
        let fields: [HTTPFields] = [
            [.ifNoneMatch: "*"], [.ifMatch: "*"], [.ifRange: "\"a\""], [.range: "bytes=0-1"],
            [.cacheControl: "no-cache"], [.ifModifiedSince: "x"], [HTTPField.Name("Host")!: "elsewhere.example"],
            [.accept: String(repeating: "a", count: 600)],
        ]
        for fields in fields { #expect(try gallery.immediate(link, headers: fields) == nil, "\(fields)") }
        var twice: HTTPFields = [.accept: "*/*"]
        twice.append(HTTPField(name: .accept, value: "image/webp"))
        #expect(try gallery.immediate(link, headers: twice) == nil)
        #expect(try gallery.immediate(link, headers: [.userAgent: "x", .referer: "y", .cookie: "z"]) != nil)
        await gallery.close()
        let open = try await TestGallery(
            files: ["a.jpg": try picture(red: 1)], allowedOrigins: ["https://example.org"])
        _ = try await open.get(link)
        // Its responses name the pages that may read them, so none is immediate.
        #expect(try open.immediate(link) == nil)
        await open.close()
    }

    @Test func `the image format is chosen by Accept, and the response varies by it`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1, width: 400, height: 300)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let target = "/images/\(page.images[0].id)/tile"
        for (accept, type) in [
            ("image/avif,image/webp,*/*", "image/avif"), ("image/webp", "image/webp"), ("*/*", "image/jpeg"),
        ] {
            let answer = try await gallery.get(target, headers: [.accept: accept])
            #expect(answer.header("Content-Type") == type)
            #expect(answer.header("Vary") == "Accept")
        }
        await gallery.close()
    }

    @Test func `a client's current copy is not sent again`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        for rendition in ["tile", "original"] {
            let target = "/images/\(page.images[0].id)/\(rendition)"
            let tag = try #require(try await gallery.get(target).header("ETag"))
            let again = try await gallery.get(target, headers: [.ifNoneMatch: tag])
            #expect(again.status == 304)
            #expect(await again.body() == [])
        }
        await gallery.close()
    }

    @Test func `an original is served unchanged, whole or in ranges, under its file name`() async throws {
        let bytes = try picture(red: 9)
        let gallery = try await TestGallery(files: ["Grüße \"1\".jpg": bytes])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let target = "/images/\(page.images[0].id)/original"
        let whole = try await gallery.get(target)
        #expect(await whole.body() == bytes)
        #expect(whole.header("Content-Type") == "image/jpeg")
        #expect(whole.header("Content-Disposition") == "inline; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.jpg")
        let part = try await gallery.get(target, headers: [.range: "bytes=10-19"])
        #expect(part.status == 206)
        #expect(await part.body() == Array(bytes[10..<20]))
        #expect(try await gallery.get(target, headers: [.range: "bytes=999999-"]).status == 416)
        await gallery.close()
    }

    @Test func `a file that is not an image fails with 415, and an empty one with 422`() async throws {
        let gallery = try await TestGallery(files: [
            "page.jpg": Array("<!doctype html><title>no</title>".utf8), "empty.jpg": [],
        ])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        var statuses: [String: Int] = [:]
        for image in page.images {
            let answer = try await gallery.get("/images/\(image.id)/tile")
            #expect(answer.header("Content-Type") == "application/problem+json")
            let problem: ProblemAnswer = try await answer.json()
            #expect(problem.detail?.isEmpty == false)
            statuses[image.name] = answer.status
        }
        #expect(statuses == ["page.jpg": 415, "empty.jpg": 422])
        await gallery.close()
    }

    @Test func `a picture opened on its own is sandboxed`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let answer = try await gallery.get("/images/\(page.images[0].id)/original")
        #expect(answer.header("Content-Security-Policy")?.contains("sandbox") == true)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        await gallery.close()
    }

    @Test func `requests without tokens share one flow per client and rank below a session's requests`() {
        func lone(_ ip: SocketAddress.IP, port: UInt16 = 1) -> Priority {
            .tokenlessRequest(of: .address(SocketAddress(ip: ip, port: port).client))
        }
        #expect(lone(.v4(1)) == lone(.v4(1), port: 2))
        #expect(lone(.v4(1)).flow.owner != lone(.v4(2)).flow.owner)
        #expect(lone(.v6(7, 1, zone: 0)) == lone(.v6(7, 2, zone: 0)))
        #expect(lone(.v6(7, 1, zone: 0)).flow.owner != lone(.v6(8, 1, zone: 0)).flow.owner)
        let session = Flow(of: Client(.v4(1)), member: "a session")
        #expect(lone(.v4(1)).flow.owner == session.owner && lone(.v4(1)).flow != session)
        #expect(lone(.v4(1)) < Priority(level: .visible, viewport: 1, distance: 99, flow: session))
    }
}
