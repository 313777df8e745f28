import Images
import Renditions
import Testing

@testable import Loading

/// One decode makes all requested renditions of an image, and nothing is cached twice.
@Suite(.timeLimit(.minutes(1))) struct SizesPromiseTests {
    private func request(
        _ image: GalleryImage, _ rendition: Rendition, next: [Rendition: OutputFormat] = [:]
    ) -> LoadRequest {
        LoadRequest(image: image, rendition: rendition, format: .webp, next: next)
    }

    private func load(_ request: LoadRequest, from fixture: LoaderFixture) async -> RenditionBytes? {
        let recorder = Recorder<LoaderFixture.Outcome>()
        fixture.loader.begin(request, priority: .visible()) { recorder.record($0) }
        return await recorder.element(0).bytes
    }

    @Test func `renditions wanted next are made in the same decode`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(100), to: 1))
        let tile = await load(request(image, .tile, next: [.step1280: .webp, .step640: .webp]), from: fixture)
        #expect(tile?.width == 320)
        for (rendition, side) in [(Rendition.step640, 640), (.step1280, 1_280), (.preview, 64)] {
            #expect(await load(request(image, rendition), from: fixture)?.width == side)
        }
        #expect(fixture.loader.statistics.rendersBegun == 1)
        await fixture.close()
    }

    @Test func `all steps larger than a small image are one rendition, made and cached once`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.longestSide = 500
        let image = fixture.local(1, version: fixture.write(picture(100), to: 1))
        for rendition in [Rendition.step2560, .step640, .step1280, .screen, .full] {
            #expect(await load(request(image, rendition), from: fixture)?.width == 500, "\(rendition)")
        }
        #expect(fixture.loader.statistics.rendersBegun == 1)
        #expect(await load(request(image, .tile), from: fixture)?.width == 320)
        #expect(fixture.loader.statistics.rendersBegun == 2)
        await fixture.close()
    }

    @Test func `an image of known size is cached under the smallest step that holds it`() {
        var metadata = ImageMetadata()
        (metadata.width, metadata.height, metadata.mediaType) = (300, 700, "image/jpeg")
        #expect(metadata.longestSide == 700)
        #expect(
            Rendition.allCases.map { $0.kept(ofLongestSide: 700) } == [
                .preview, .step160, .tile, .step640, .step1280, .step1280, .step1280, .step1280, .pyramid, .original,
            ])
        metadata.mediaType = ImageMetadata.drawing
        #expect(metadata.longestSide == nil)
        #expect(Rendition.holding(longestSide: 9_000) == .full && Rendition.holding(longestSide: 160) == .step160)
        #expect(Rendition(name: "320") == .tile && Rendition(name: "1600") == .screen && Rendition(name: "100") == nil)
    }

    @Test func `an image that is too large at full size can still be rendered smaller`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(100), to: 1))
        fixture.renderer.failure = RenderError(.tooMuchMemory, "Too many.")
        for _ in 0..<3 { #expect(await load(request(image, .full), from: fixture) == nil) }
        fixture.renderer.failure = nil
        #expect(await load(request(image, .tile), from: fixture)?.width == 320)
        #expect(fixture.loader.statistics.rememberedHarmful == 0)
        await fixture.close()
    }
}
