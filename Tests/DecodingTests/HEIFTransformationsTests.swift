import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct HEIFTransformationsTests {
    private let renderer = try! Renderer()

    private func quarters(_ bytes: [UInt8], _ size: (Int, Int), as rendition: Rendition = .full) throws -> String {
        let made = try renderer.render(.bytes(bytes), as: rendition, format: .jpeg, stop: RenderStop())
        #expect((made.width, made.height) == size && (made.metadata.width, made.metadata.height) == size)
        return try Pixels.decoding(made.bytes).quarterNames
    }

    @Test(arguments: [false, true], [false, true])
    func `an image is turned and mirrored as its properties say, wherever they are listed`(
        isFirst: Bool, isWide: Bool
    ) throws {
        for (properties, name) in [
            ([HEIFBuilder.turn(1)], "GWRB"), ([HEIFBuilder.turn(2)], "WBGR"), ([HEIFBuilder.turn(3)], "BRWG"),
            ([HEIFBuilder.mirror(0)], "BWRG"), ([HEIFBuilder.mirror(1)], "GRWB"),
            ([HEIFBuilder.turn(1), HEIFBuilder.mirror(1)], "WGBR"), ([HEIFBuilder.turn(0)], "RGBW"),
        ] {
            let isAcross = properties[0] == HEIFBuilder.turn(1) || properties[0] == HEIFBuilder.turn(3)
            let file = try HEIFBuilder.image(128, 64, transformations: properties, isFirst: isFirst, isWide: isWide)
            #expect(try quarters(file, isAcross ? (64, 128) : (128, 64)) == name)
        }
    }

    @Test(arguments: [false, true])
    func `an image is cropped before it is turned`(isFirst: Bool) throws {
        // The right half: green above white; and then turned to the left.
        let crop = HEIFBuilder.crop(64, 64, across: 32)
        let half = try HEIFBuilder.image(128, 64, transformations: [crop], isFirst: isFirst)
        #expect(try quarters(half, (64, 64)) == "GGWW")
        let turned = try HEIFBuilder.image(
            128, 64, transformations: [crop, HEIFBuilder.turn(1)], isFirst: isFirst)
        #expect(try quarters(turned, (64, 64)) == "GWGW")
    }

    @Test func `a crop that keeps nothing or has no denominator is ignored`() throws {
        #expect(
            HEIFTransformations.cleanAperture(HEIFBuilder.crop(4, 4, across: 900)[8...], of: (128, 64)) == nil)
        #expect(HEIFTransformations.cleanAperture([UInt8](repeating: 0, count: 32)[...], of: (128, 64)) == nil)
        #expect(HEIFTransformations.cleanAperture([1, 2][...], of: (128, 64)) == nil)
    }

    @Test(arguments: [[Int](), [5]])
    func `a grid is turned once, even if each of its cells is to be turned as well`(cellTurn: [Int]) throws {
        let coded = try HEIFBuilder.coded(Sample.quarters(width: 64, height: 64))
        let cell = HEIFBuilder.Item(type: "av01", data: coded.data, properties: [2, 3] + cellTurn)
        // Version, flags, rows and columns less one, and the size of the whole.
        let grid = HEIFBuilder.Item(
            type: "grid", data: [0, 0, 0, 1] + Sample.big16(128) + Sample.big16(64), properties: [1, 4])
        let file = HEIFBuilder(
            items: [grid, cell, cell],
            properties: [
                HEIFBuilder.size(128, 64), HEIFBuilder.size(64, 64), coded.configuration, HEIFBuilder.turn(1),
                HEIFBuilder.turn(1),
            ]
        ).bytes
        let made = try renderer.render(.bytes(file), as: .full, format: .jpeg, stop: RenderStop())
        #expect((made.width, made.height) == (64, 128))
        // Each cell has all four colours: the upper half is the right cell.
        let pixels = try Pixels.decoding(made.bytes)
        let upper = try #require(Pixels(width: 64, height: 64, bytes: Array(pixels.bytes.prefix(64 * 64 * 3))))
        let lower = try #require(Pixels(width: 64, height: 64, bytes: Array(pixels.bytes.dropFirst(64 * 64 * 3))))
        #expect(upper.quarterNames == "GWRB" && lower.quarterNames == "GWRB")
    }

    @Test func `two orientations combine to one`() {
        #expect(HEIFTransformations.combined(1, then: 6) == 6)
        #expect(HEIFTransformations.combined(6, then: 8) == 1)
        #expect(HEIFTransformations.combined(6, then: 6) == 3)
        // To the right, then left and right exchanged: EXIF's 5.
        #expect(HEIFTransformations.combined(6, then: 2) == 5)
        for first in 1...8 { #expect(HEIFTransformations.combined(first, then: 1) == first) }
    }

    @Test func `a file cut within its properties is refused and does no harm`() throws {
        let file = try HEIFBuilder.image(128, 64, transformations: [HEIFBuilder.crop(64, 64), HEIFBuilder.turn(1)])
        for count in 30..<420 {
            let reader = try SourceReader(.bytes(Array(file.prefix(count))), stop: RenderStop())
            let transformations = HEIFTransformations(reader)
            #expect(transformations?.replacements.keys.allSatisfy { $0 < count } ?? true)
        }
    }
}
