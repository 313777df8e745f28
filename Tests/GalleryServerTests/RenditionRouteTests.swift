import Addresses
import Clients
import HTTPTypes
import Scheduling
import Testing

@testable import GalleryServer
@testable import HTTPServer

@Suite struct RenditionRouteTests {
    @Test func `what v names may be kept for ever, and anything else is asked about again`() async throws {
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

    @Test func `from memory and from the loader the answer is the same`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        let made = try await gallery.get(link)
        let kept = try await gallery.get(link)
        #expect(await kept.body() == (await made.body()))
        // A condition that is not met goes the long way, with the same answer.
        let asked = try await gallery.get(link, headers: [.ifNoneMatch: "\"other\""])
        #expect(asked.status == 200)
        #expect(await asked.body() == (await made.body()))
        let tag = try #require(made.header("ETag"))
        #expect(try await gallery.get(link, headers: [.ifNoneMatch: tag]).status == 304)
        #expect(try await gallery.get(link, headers: [.range: "bytes=0-3"]).status == 206)
        await gallery.close()
    }

    @Test func `what is answered on the spot is what the long way would answer`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1, width: 400, height: 300)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        for accept in ["image/avif,image/webp,*/*", "image/webp", "*/*", "text/html", ""] {
            let headers: HTTPFields = [.accept: accept]
            let made = try await gallery.get(link, headers: headers)
            for _ in 0..<2 {
                let short = try #require(try gallery.onTheSpot(link, headers: headers))
                let long = try await gallery.get(link, headers: headers)
                #expect(short.head.bytes == long.response.prepared?.bytes)
                #expect(await long.body() == short.body)
                #expect(await made.body() == short.body)
            }
        }
        // None is said to accept everything that all clients show.
        _ = try await gallery.get(link)
        #expect(try gallery.onTheSpot(link)?.head.bytes == (try await gallery.get(link)).response.prepared?.bytes)
        await gallery.close()
    }

    @Test func `whoever asks for anything else goes the long way`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let (id, link) = (page.images[0].id, try #require(page.images[0].links["tile"]))
        _ = try await gallery.get(link)
        #expect(try gallery.onTheSpot(link) != nil)
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
        for target in targets { #expect(try gallery.onTheSpot(target) == nil, "\(target)") }
        let fields: [HTTPFields] = [
            [.ifNoneMatch: "*"], [.ifMatch: "*"], [.ifRange: "\"a\""], [.range: "bytes=0-1"],
            [.cacheControl: "no-cache"], [.ifModifiedSince: "x"], [HTTPField.Name("Host")!: "elsewhere.example"],
            [.accept: String(repeating: "a", count: 600)],
        ]
        for fields in fields { #expect(try gallery.onTheSpot(link, headers: fields) == nil, "\(fields)") }
        var twice: HTTPFields = [.accept: "*/*"]
        twice.append(HTTPField(name: .accept, value: "image/webp"))
        #expect(try gallery.onTheSpot(link, headers: twice) == nil)
        #expect(try gallery.onTheSpot(link, headers: [.userAgent: "x", .referer: "y", .cookie: "z"]) != nil)
        await gallery.close()
        let open = try await TestGallery(
            files: ["a.jpg": try picture(red: 1)], allowedOrigins: ["https://example.org"])
        _ = try await open.get(link)
        // Its answers say which pages may read them.
        #expect(try open.onTheSpot(link) == nil)
        await open.close()
    }

    @Test func `the encoding is chosen by Accept and the answer varies with it`() async throws {
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

    @Test func `a copy that is current is not sent again`() async throws {
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

    @Test func `an original comes as it is, whole and in ranges, under its name`() async throws {
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

    @Test func `what is no picture is an honest error`() async throws {
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

    @Test func `a picture opened on its own may do nothing`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let answer = try await gallery.get("/images/\(page.images[0].id)/original")
        #expect(answer.header("Content-Security-Policy")?.contains("sandbox") == true)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        await gallery.close()
    }

    @Test func `what one address asks for without a token has one share, and less urgency than a session's`() {
        func lone(_ ip: SocketAddress.IP, port: UInt16 = 1) -> Priority {
            .loneRequest(of: SocketAddress(ip: ip, port: port).client)
        }
        #expect(lone(.v4(1)) == lone(.v4(1), port: 2))
        #expect(lone(.v4(1)).flow.owner != lone(.v4(2)).flow.owner)
        #expect(lone(.v6(7, 1, zone: 0)) == lone(.v6(7, 2, zone: 0)))
        #expect(lone(.v6(7, 1, zone: 0)).flow.owner != lone(.v6(8, 1, zone: 0)).flow.owner)
        let session = Flow(of: Client(.v4(1)), member: "a session")
        #expect(lone(.v4(1)).flow.owner == session.owner && lone(.v4(1)).flow != session)
        #expect(lone(.v4(1)) < Priority(lane: .visible, viewport: 1, distance: 99, flow: session))
    }
}
