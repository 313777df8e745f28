import Images
import Renditions
import Testing

@testable import Loading

/// A smaller rendition is made from a larger cached one, without recording wrong metadata.
@Suite(.timeLimit(.minutes(1))) struct RenditionSourcePromiseTests {
    private func load(
        _ rendition: Rendition, _ format: OutputFormat = .webp, of image: GalleryImage, from fixture: LoaderFixture
    ) async -> RenditionBytes? {
        let recorder = Recorder<LoaderFixture.Outcome>()
        let request = LoadRequest(image: image, rendition: rendition, format: format)
        fixture.loader.begin(request, priority: .visible()) { recorder.record($0) }
        return await recorder.element(0).bytes
    }

    /// An image with known metadata.
    private func local(_ id: UInt64, _ content: [UInt8], in fixture: LoaderFixture) -> GalleryImage {
        let image = fixture.local(id, version: fixture.write(content, to: id))
        var metadata = image.metadata
        (metadata.width, metadata.height, metadata.mediaType) = (
            fixture.renderer.longestSide, fixture.renderer.longestSide / 2, "image/jpeg"
        )
        return GalleryImage(
            id: image.id, name: image.name, location: image.location, version: image.version, metadata: metadata)
    }

    /// Whether a rendition was made from another one, as stated in the mock workers' output.
    private func isMade(_ tile: RenditionBytes?, of other: RenditionBytes?) -> Bool {
        guard let tile, let other else { return false }
        return String(decoding: tile.bytes, as: UTF8.self).hasSuffix(
            String(decoding: other.bytes.prefix(32), as: UTF8.self))
    }

    @Test(arguments: [OutputFormat.webp, .avif])
    func `a tile is made from a larger cached rendition of any format`(format: OutputFormat) async throws {
        let fixture = try LoaderFixture()
        let image = local(1, picture(20), in: fixture)
        let large = await load(.step1280, format, of: image, from: fixture)
        let tile = await load(.tile, of: image, from: fixture)
        #expect(tile?.width == 320 && isMade(tile, of: large))
        let statistics = fixture.loader.statistics
        #expect(statistics.rendersBegun == 2 && statistics.rendersOfRenditions == 1)
        await fixture.close()
    }

    @Test func `a cached rendition with less than twice the pixels is not used as the source`() async throws {
        let fixture = try LoaderFixture()
        let image = local(1, picture(20), in: fixture)
        let large = await load(.step1280, of: image, from: fixture)
        #expect(!isMade(await load(.screen, of: image, from: fixture), of: large))
        #expect(!isMade(await load(.step2560, of: image, from: fixture), of: large))
        fixture.renderer.longestSide = 500
        let small = local(2, picture(21), in: fixture)
        let whole = await load(.step1280, of: small, from: fixture)
        #expect(whole?.width == 500)
        #expect(!isMade(await load(.tile, of: small, from: fixture), of: whole))
        #expect(fixture.loader.statistics.rendersOfRenditions == 0)
        await fixture.close()
    }

    @Test func `a format with transparency is not made from a JPEG`() async throws {
        let fixture = try LoaderFixture()
        let image = local(1, picture(20), in: fixture)
        let large = await load(.step1280, .jpeg, of: image, from: fixture)
        #expect(isMade(await load(.tile, .jpeg, of: image, from: fixture), of: large))
        #expect(!isMade(await load(.tile, .webp, of: image, from: fixture), of: large))
        await fixture.close()
    }

    @Test func `an image without metadata is rendered from its original`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(20), to: 1))
        _ = await load(.step1280, of: image, from: fixture)
        _ = await load(.tile, of: image, from: fixture)
        #expect(fixture.loader.statistics.rendersOfRenditions == 0)
        await fixture.close()
    }

    @Test func `changed content is rendered from the file, not from an older rendition`() async throws {
        let fixture = try LoaderFixture()
        let before = local(1, picture(20), in: fixture)
        _ = await load(.step1280, of: before, from: fixture)
        let after = local(1, picture(99), in: fixture)
        #expect(await load(.tile, of: after, from: fixture) != nil)
        #expect(fixture.loader.statistics.rendersOfRenditions == 0)
        await fixture.close()
    }

    @Test func `if a rendition is unusable, the original is rendered and no failure is remembered`() async throws {
        let fixture = try LoaderFixture()
        let image = local(1, picture(20), in: fixture)
        let large = await load(.step1280, of: image, from: fixture)
        fixture.renderer.nextFailure = RenderError(.failed, "No.")
        let tile = await load(.tile, of: image, from: fixture)
        #expect(tile?.width == 320 && !isMade(tile, of: large))
        let statistics = fixture.loader.statistics
        #expect(statistics.rendersBegun == 3 && statistics.failures == 0 && statistics.rememberedFailures == 0)
        await fixture.close()
    }

    @Test func `metadata is learned only from originals`() async throws {
        let fixture = try LoaderFixture()
        let image = local(1, picture(20), in: fixture)
        _ = await load(.step1280, of: image, from: fixture)
        let learned = fixture.learned.count
        fixture.renderer.longestSide = 1_280
        _ = await load(.tile, of: image, from: fixture)
        #expect(fixture.loader.statistics.rendersOfRenditions == 1)
        #expect(fixture.learned.count == learned && learned > 0)
        await fixture.close()
    }
}
