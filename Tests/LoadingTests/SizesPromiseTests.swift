import Images
import Renditions
import Testing

@testable import Loading

/// One decoding makes what is wanted of a picture, and nothing is kept twice.
@Suite(.timeLimit(.minutes(1))) struct SizesPromiseTests {
    private func request(
        _ image: GalleryImage, _ rendition: Rendition, next: [Rendition: OutputFormat] = [:]
    ) -> LoadRequest {
        LoadRequest(image: image, rendition: rendition, format: .webp, next: next)
    }

    private func load(_ request: LoadRequest, from house: TestHouse) async -> RenditionBytes? {
        let recorder = Recorder<TestHouse.Outcome>()
        _ = house.loader.load(request, priority: .visible()) { recorder.record($0) }
        return await recorder.element(0).bytes
    }

    @Test func `what is wanted next is made in the same decoding`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(100), to: 1))
        let tile = await load(request(image, .tile, next: [.step1280: .webp, .step640: .webp]), from: house)
        #expect(tile?.width == 320)
        for (rendition, side) in [(Rendition.step640, 640), (.step1280, 1_280), (.preview, 64)] {
            #expect(await load(request(image, rendition), from: house)?.width == side)
        }
        #expect(house.loader.statistics.rendersBegun == 1)
        await house.close()
    }

    @Test func `of a picture that is smaller all larger renditions are one, made once and kept once`() async throws {
        let house = try TestHouse()
        house.renderer.longestSide = 500
        let image = house.local(1, version: house.write(picture(100), to: 1))
        for rendition in [Rendition.step2560, .step640, .step1280, .screen, .full] {
            #expect(await load(request(image, rendition), from: house)?.width == 500, "\(rendition)")
        }
        #expect(house.loader.statistics.rendersBegun == 1)
        #expect(await load(request(image, .tile), from: house)?.width == 320)
        #expect(house.loader.statistics.rendersBegun == 2)
        await house.close()
    }

    @Test func `a size that is known is asked for by the name of the smallest rendition that has it`() {
        var facts = ImageFacts()
        (facts.width, facts.height, facts.mediaType) = (300, 700, "image/jpeg")
        #expect(facts.longestSide == 700)
        #expect(
            Rendition.allCases.map { $0.kept(ofLongestSide: 700) } == [
                .preview, .step160, .tile, .step640, .step1280, .step1280, .step1280, .step1280, .pyramid, .original,
            ])
        facts.mediaType = ImageFacts.drawing
        #expect(facts.longestSide == nil)
        #expect(Rendition.holding(longestSide: 9_000) == .full && Rendition.holding(longestSide: 160) == .step160)
        #expect(Rendition(name: "320") == .tile && Rendition(name: "1600") == .screen && Rendition(name: "100") == nil)
    }

    @Test func `that all pixels are too many is not held against what is smaller`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(100), to: 1))
        house.renderer.failure = RenderError(.tooMuchMemory, "Too many.")
        for _ in 0..<3 { #expect(await load(request(image, .full), from: house) == nil) }
        house.renderer.failure = nil
        #expect(await load(request(image, .tile), from: house)?.width == 320)
        #expect(house.loader.statistics.rememberedHarmful == 0)
        await house.close()
    }
}
