import HTTPServer
import HTTPTypes
import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// A request for a rendition counts as one memory hit or one miss, whichever path it takes.
@Suite(.timeLimit(.minutes(2))) struct MemoryHitsTests {
    private struct Counts: Equatable, CustomStringConvertible {
        var hits = 0
        var misses = 0

        var description: String { "\(hits) hits, \(misses) misses" }
    }

    private func counts(_ gallery: TestGallery) -> Counts {
        let statistics = gallery.loader.statistics
        return Counts(hits: statistics.memoryHits, misses: statistics.memoryMisses)
    }

    @Test func `a request without a token counts once`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let link = try #require(page.images[0].links["tile"])
        let named: HTTPFields = [.accept: "image/webp"]
        #expect(try gallery.immediate(link, headers: named) == nil)
        #expect(try await gallery.get(link, headers: named).status == 200)
        #expect(counts(gallery) == Counts(hits: 0, misses: 1))
        #expect(try gallery.immediate(link, headers: named) != nil)
        #expect(counts(gallery) == Counts(hits: 1, misses: 1))
        #expect(try await gallery.get(link, headers: named).status == 200)
        #expect(counts(gallery) == Counts(hits: 2, misses: 1))
        #expect(try await gallery.get("/images/\(page.images[0].id)/tile", headers: named).status == 200)
        #expect(counts(gallery) == Counts(hits: 3, misses: 1))
        #expect(try await gallery.get(link, headers: [.accept: "image/avif"]).status == 200)
        #expect(counts(gallery) == Counts(hits: 3, misses: 2))
        // A rendition that is never in memory does not count as a miss.
        #expect(try await gallery.get("/images/\(page.images[0].id)/original").status == 200)
        #expect(counts(gallery) == Counts(hits: 3, misses: 2))
        await gallery.close()
    }

    @Test func `a token and its request count once together`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        for expected in [Counts(hits: 0, misses: 1), Counts(hits: 1, misses: 1)] {
            let answer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":1}"#)
            let granted = try #require(try await answer.json(as: TokensAnswer.self).tokens.first)
            #expect(try await gallery.get(granted.href).status == 200)
            #expect(counts(gallery) == expected)
        }
        await gallery.close()
    }

    @Test func `a stream counts each rendition of a slot once`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1, width: 640, height: 480)])
        for visit in 1...2 {
            let fixture = try StreamFixture {
                $0.catalog = gallery.catalog
                $0.loader = gallery.loader
                $0.tokens = gallery.tokens
            }
            await fixture.open()
            await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
            // No preview is sent if the tile was available first.
            let received = await fixture.hear { $0.frames.contains { $0.kind == 2 } }
            #expect(received.frames.last?.kind == 2, "a tile")
            let counts = counts(gallery)
            #expect(counts.hits + counts.misses == 2 * visit, "\(counts)")
            if visit == 2 { #expect(counts.hits >= 2, "\(counts)") }
            await fixture.end()
        }
        await gallery.close()
    }
}
