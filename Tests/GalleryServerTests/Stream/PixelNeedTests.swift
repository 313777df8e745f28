import Images
import Testing

@testable import GalleryServer

/// Which renditions follow from the pixels that a client needs.
@Suite struct PixelNeedTests {
    private func facts(_ width: Int?, _ height: Int?, _ mediaType: String = "image/jpeg") -> ImageFacts {
        var facts = ImageFacts()
        (facts.width, facts.height, facts.mediaType) = (width, height, mediaType)
        return facts
    }

    private func needed(
        _ pixels: Int, _ side: Viewport.Side?, of facts: ImageFacts, savesData: Bool = false
    ) -> NeededRenditions {
        var viewport = Viewport(first: 0, count: 1)
        (viewport.pixels, viewport.side, viewport.savesData) = (pixels, side, savesData)
        return PixelNeed(of: viewport).renditions(of: facts)
    }

    @Test(
        arguments: [
            (.longer, 320, 4_000, 3_000, .tile), (.longer, 321, 4_000, 3_000, .step640),
            // The side that fills a square is the shorter one, whichever that is.
            (.shorter, 240, 4_000, 3_000, .tile), (.shorter, 241, 3_000, 4_000, .step640),
            (.shorter, 121, 3_000, 4_000, .tile), (.shorter, 120, 3_000, 4_000, .step160),
            // A row has a height, and its pictures the width that follows from it.
            (.height, 480, 4_000, 3_000, .step640), (.height, 641, 3_000, 4_000, .step1280),
            (.height, 2_000, 4_000, 3_000, .step2560), (.height, 2_600, 3_000, 4_000, .step2560),
        ] as [(Viewport.Side, Int, Int, Int, StreamRendition)])
    func `the smallest step has all the pixels that are needed`(
        side: Viewport.Side, pixels: Int, width: Int, height: Int, step: StreamRendition
    ) {
        #expect(needed(pixels, side, of: facts(width, height)).largest == step)
    }

    @Test(
        arguments: [
            // Across it is the box that bounds the wide picture, from top to bottom the tall one.
            (1_280, 860, 6_000, 4_000, .step1280), (1_281, 860, 6_000, 4_000, .step2560),
            (1_280, 640, 4_000, 6_000, .step640), (1_280, 641, 4_000, 6_000, .step1280),
            (600, 2_000, 4_000, 3_000, .step640), (2_400, 600, 4_000, 4_000, .step640),
        ] as [(Int, Int, Int, Int, StreamRendition)])
    func `a picture in a box needs what its longer side is there`(
        pixels: Int, boxHeight: Int, width: Int, height: Int, step: StreamRendition
    ) {
        var viewport = Viewport(first: 0, count: 1)
        (viewport.pixels, viewport.height, viewport.side) = (pixels, boxHeight, .box)
        #expect(PixelNeed(of: viewport).renditions(of: facts(width, height)).largest == step)
    }

    @Test func `no picture is asked for more pixels than it has`() {
        #expect(needed(1_000, .shorter, of: facts(500, 400)) == NeededRenditions(tile: .tile, fine: .step640))
        #expect(needed(1_000, .shorter, of: facts(300, 200)) == NeededRenditions(tile: .tile))
        #expect(needed(1_000, .shorter, of: facts(64, 40)) == NeededRenditions(tile: .step160))
        // A drawing has as many as one likes.
        #expect(needed(1_000, .longer, of: facts(64, 40, ImageFacts.drawing)).fine == .step1280)
    }

    @Test func `of a picture that is not known the proportions are those of most cameras`() {
        #expect(needed(213, .shorter, of: facts(nil, nil)).largest == .tile)
        #expect(needed(214, .shorter, of: facts(nil, nil)).largest == .step640)
    }

    @Test func `whoever saves data gets tiles at the most`() {
        #expect(needed(1_000, .shorter, of: facts(4_000, 3_000), savesData: true) == NeededRenditions(tile: .tile))
        #expect(
            needed(100, .shorter, of: facts(4_000, 3_000), savesData: true) == NeededRenditions(tile: .step160))
    }

    @Test func `a client that does not say of which side its pixels are knows previews and tiles alone`() {
        #expect(needed(2_000, nil, of: facts(4_000, 3_000)) == NeededRenditions(tile: .tile))
        #expect(needed(65, nil, of: facts(nil, nil)) == NeededRenditions(tile: .tile))
        #expect(needed(64, nil, of: facts(4_000, 3_000)) == NeededRenditions())
        #expect(PixelNeed(of: nil).renditions(of: facts(nil, nil)) == NeededRenditions(tile: .tile))
    }
}
