import Images
import Renditions
import Testing

@testable import Loading

/// A smaller rendition is made of a larger one that is kept, and nothing false is learnt by that.
@Suite(.timeLimit(.minutes(1))) struct StandInPromiseTests {
    private func load(
        _ rendition: Rendition, _ format: OutputFormat = .webp, of image: GalleryImage, from house: TestHouse
    ) async -> RenditionBytes? {
        let recorder = Recorder<TestHouse.Outcome>()
        let request = LoadRequest(image: image, rendition: rendition, format: format)
        _ = house.loader.load(request, priority: .visible()) { recorder.record($0) }
        return await recorder.element(0).bytes
    }

    /// A picture of which is known what it is.
    private func local(_ id: UInt64, _ content: [UInt8], in house: TestHouse) -> GalleryImage {
        let image = house.local(id, version: house.write(content, to: id))
        var facts = image.facts
        (facts.width, facts.height, facts.mediaType) = (
            house.renderer.longestSide, house.renderer.longestSide / 2, "image/jpeg"
        )
        return GalleryImage(
            id: image.id, name: image.name, location: image.location, version: image.version, facts: facts)
    }

    /// What the workers were given for each render, as they say it in their pictures.
    private func isMade(_ tile: RenditionBytes?, of other: RenditionBytes?) -> Bool {
        guard let tile, let other else { return false }
        return String(decoding: tile.bytes, as: UTF8.self).hasSuffix(
            String(decoding: other.bytes.prefix(32), as: UTF8.self))
    }

    @Test(arguments: [OutputFormat.webp, .avif])
    func `a tile is made of what the viewer showed, in whatever format that is`(format: OutputFormat) async throws {
        let house = try TestHouse()
        let image = local(1, picture(20), in: house)
        let large = await load(.step1280, format, of: image, from: house)
        let tile = await load(.tile, of: image, from: house)
        #expect(tile?.width == 320 && isMade(tile, of: large))
        let statistics = house.loader.statistics
        #expect(statistics.rendersBegun == 2 && statistics.rendersOfRenditions == 1)
        await house.close()
    }

    @Test func `what has not twice the pixels does not stand in`() async throws {
        let house = try TestHouse()
        let image = local(1, picture(20), in: house)
        let large = await load(.step1280, of: image, from: house)
        #expect(!isMade(await load(.screen, of: image, from: house), of: large))
        #expect(!isMade(await load(.step2560, of: image, from: house), of: large))
        house.renderer.longestSide = 500
        let small = local(2, picture(21), in: house)
        let whole = await load(.step1280, of: small, from: house)
        #expect(whole?.width == 500)
        #expect(!isMade(await load(.tile, of: small, from: house), of: whole))
        #expect(house.loader.statistics.rendersOfRenditions == 0)
        await house.close()
    }

    @Test func `what is clear is not made of what has a ground`() async throws {
        let house = try TestHouse()
        let image = local(1, picture(20), in: house)
        let large = await load(.step1280, .jpeg, of: image, from: house)
        #expect(isMade(await load(.tile, .jpeg, of: image, from: house), of: large))
        #expect(!isMade(await load(.tile, .webp, of: image, from: house), of: large))
        await house.close()
    }

    @Test func `of a picture of which nothing is known something is learnt`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(20), to: 1))
        _ = await load(.step1280, of: image, from: house)
        _ = await load(.tile, of: image, from: house)
        #expect(house.loader.statistics.rendersOfRenditions == 0)
        await house.close()
    }

    @Test func `another content of the file is made of the file`() async throws {
        let house = try TestHouse()
        let before = local(1, picture(20), in: house)
        _ = await load(.step1280, of: before, from: house)
        let after = local(1, picture(99), in: house)
        #expect(await load(.tile, of: after, from: house) != nil)
        #expect(house.loader.statistics.rendersOfRenditions == 0)
        await house.close()
    }

    @Test func `where it cannot be made of that, it is made of the original, and nothing is remembered`() async throws {
        let house = try TestHouse()
        let image = local(1, picture(20), in: house)
        let large = await load(.step1280, of: image, from: house)
        house.renderer.nextFailure = RenderError(.failed, "No.")
        let tile = await load(.tile, of: image, from: house)
        #expect(tile?.width == 320 && !isMade(tile, of: large))
        let statistics = house.loader.statistics
        #expect(statistics.rendersBegun == 3 && statistics.failures == 0 && statistics.rememberedFailures == 0)
        await house.close()
    }

    @Test func `what is learnt of a picture is learnt of its original alone`() async throws {
        let house = try TestHouse()
        let image = local(1, picture(20), in: house)
        _ = await load(.step1280, of: image, from: house)
        let learnt = house.learned.count
        house.renderer.longestSide = 1_280
        _ = await load(.tile, of: image, from: house)
        #expect(house.loader.statistics.rendersOfRenditions == 1)
        #expect(house.learned.count == learnt && learnt > 0)
        await house.close()
    }
}
