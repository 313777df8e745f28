import Images
import Testing

@testable import GalleryServer

/// The renditions that follow from the pixels a client needs.
@Suite struct PixelNeedTests {
    private func metadata(_ width: Int?, _ height: Int?, _ mediaType: String = "image/jpeg") -> ImageMetadata {
        var metadata = ImageMetadata()
        (metadata.width, metadata.height, metadata.mediaType) = (width, height, mediaType)
        return metadata
    }

    private func needed(
        _ pixels: Int, _ side: Viewport.Side?, of metadata: ImageMetadata, savesData: Bool = false
    ) -> NeededRenditions {
        var viewport = Viewport(first: 0, count: 1)
        (viewport.pixels, viewport.side, viewport.savesData) = (pixels, side, savesData)
        return PixelNeed(of: viewport).renditions(of: metadata)
    }

    @Test(
        arguments: [
            (.longer, 320, 4_000, 3_000, .tile), (.longer, 321, 4_000, 3_000, .step640),
            // The side that fills a square is the shorter one, whichever it is.
            (.shorter, 240, 4_000, 3_000, .tile), (.shorter, 241, 3_000, 4_000, .step640),
            (.shorter, 121, 3_000, 4_000, .tile), (.shorter, 120, 3_000, 4_000, .step160),
            // A row has a height, from which its pictures' widths follow.
            (.height, 480, 4_000, 3_000, .step640), (.height, 641, 3_000, 4_000, .step1280),
            (.height, 2_000, 4_000, 3_000, .step2560), (.height, 2_600, 3_000, 4_000, .step2560),
        ] as [(Viewport.Side, Int, Int, Int, StreamRendition)])
    func `the smallest step with all the needed pixels is chosen`(
        side: Viewport.Side, pixels: Int, width: Int, height: Int, step: StreamRendition
    ) {
        #expect(needed(pixels, side, of: metadata(width, height)).largest == step)
    }

    @Test(
        arguments: [
            // In a box, a wide picture is limited by the width, a tall one by the height.
            (1_280, 860, 6_000, 4_000, .step1280), (1_281, 860, 6_000, 4_000, .step2560),
            (1_280, 640, 4_000, 6_000, .step640), (1_280, 641, 4_000, 6_000, .step1280),
            (600, 2_000, 4_000, 3_000, .step640), (2_400, 600, 4_000, 4_000, .step640),
        ] as [(Int, Int, Int, Int, StreamRendition)])
    func `a picture in a box needs the pixels of its longer side there`(
        pixels: Int, boxHeight: Int, width: Int, height: Int, step: StreamRendition
    ) {
        var viewport = Viewport(first: 0, count: 1)
        (viewport.pixels, viewport.height, viewport.side) = (pixels, boxHeight, .box)
        #expect(PixelNeed(of: viewport).renditions(of: metadata(width, height)).largest == step)
    }

    @Test func `no more pixels are requested than the picture has`() {
        #expect(needed(1_000, .shorter, of: metadata(500, 400)) == NeededRenditions(tile: .tile, fine: .step640))
        #expect(needed(1_000, .shorter, of: metadata(300, 200)) == NeededRenditions(tile: .tile))
        #expect(needed(1_000, .shorter, of: metadata(64, 40)) == NeededRenditions(tile: .step160))
        // A vector drawing has any number of pixels.
        #expect(needed(1_000, .longer, of: metadata(64, 40, ImageMetadata.drawing)).fine == .step1280)
    }

    @Test func `an image of unknown size is assumed to have the proportions of most cameras`() {
        #expect(needed(240, .shorter, of: metadata(nil, nil)).largest == .tile)
        #expect(needed(241, .shorter, of: metadata(nil, nil)).largest == .step640)
    }

    @Test func `with data saving a client gets tiles at most`() {
        #expect(needed(1_000, .shorter, of: metadata(4_000, 3_000), savesData: true) == NeededRenditions(tile: .tile))
        #expect(
            needed(100, .shorter, of: metadata(4_000, 3_000), savesData: true) == NeededRenditions(tile: .step160))
    }

    @Test func `a client that names no side gets only previews and tiles`() {
        #expect(needed(2_000, nil, of: metadata(4_000, 3_000)) == NeededRenditions(tile: .tile))
        #expect(needed(65, nil, of: metadata(nil, nil)) == NeededRenditions(tile: .tile))
        #expect(needed(64, nil, of: metadata(4_000, 3_000)) == NeededRenditions())
        #expect(PixelNeed(of: nil).renditions(of: metadata(nil, nil)) == NeededRenditions(tile: .tile))
    }
}
