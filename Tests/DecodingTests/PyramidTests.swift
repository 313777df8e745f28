import CVips
import Glibc
import Images
import Renditions
import Synchronization
import Testing

@testable import Decoding

@Suite struct PyramidTests {
    private let renderer = try! Renderer()

    /// A pyramid, parsed as a client would parse it.
    private struct Read {
        let layout: PyramidLayout
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) throws {
            func number(_ count: Int, at start: Int) -> Int {
                (0..<count).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
            }
            #expect(Array(bytes.prefix(4)) == Array("TSRP".utf8))
            #expect(number(2, at: 4) == 1 && number(2, at: 6) == 512)
            layout = PyramidLayout(
                width: number(4, at: 8), height: number(4, at: 12), isCutFromRight: bytes[18] & 1 != 0,
                isCutFromBottom: bytes[18] & 2 != 0)
            #expect(number(2, at: 16) == layout.levels.count)
            #expect(number(4, at: 20) == layout.indexEnd)
            self.bytes = bytes
        }

        func file(_ index: Int) throws -> [UInt8] {
            func number(at start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) } }
            let entry = PyramidLayout.headLength + 8 * index
            let (start, count) = (number(at: entry), number(at: entry + 4))
            try #require(start >= layout.indexEnd && count > 0 && start + count <= bytes.count)
            return Array(bytes[start..<start + count])
        }

        private func tile(_ index: Int) throws -> Pixels { try Pixels.decoding(try file(index)) }

        /// All tiles of a level, assembled.
        func level(_ number: Int) throws -> Pixels {
            let level = layout.levels[number]
            let left = layout.isCutFromRight ? level.width - 512 * level.columns : 0
            let top = layout.isCutFromBottom ? level.height - 512 * level.rows : 0
            var result = [UInt8](repeating: 0, count: 3 * level.width * level.height)
            for row in 0..<level.rows {
                for column in 0..<level.columns {
                    let tile = try tile(level.firstTile + row * level.columns + column)
                    let (x, y) = (max(0, left + 512 * column), max(0, top + 512 * row))
                    #expect(tile.width == min(level.width, left + 512 * (column + 1)) - x)
                    #expect(tile.height == min(level.height, top + 512 * (row + 1)) - y)
                    let channels = tile.bytes.count / tile.width / tile.height
                    for line in 0..<tile.height {
                        for place in 0..<tile.width {
                            let from = (line * tile.width + place) * channels
                            let to = ((y + line) * level.width + x + place) * 3
                            for band in 0..<3 { result[to + band] = tile.bytes[from + (channels < 3 ? 0 : band)] }
                        }
                    }
                }
            }
            return try #require(Pixels(width: level.width, height: level.height, hasAlpha: false, bytes: result))
        }
    }

    private func pyramid(of original: [UInt8]) throws -> (RenderResult, Read) {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let output = fileno(file)
        let outcome = try renderer.perform(.pyramid, on: .bytes(original), output: output, stop: RenderStop())
        guard case .made(let answer) = outcome else { throw RenderError(.failed, "It was heavy.") }
        let length = lseek(output, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: length)
        #expect(pread(output, &bytes, length, 0) == length)
        return (answer, try Read(bytes))
    }

    @Test(arguments: [
        (1, "RGBW"), (2, "GRWB"), (3, "WBGR"), (4, "BWRG"), (5, "RBGW"), (6, "BRWG"), (7, "WGBR"), (8, "GWRB"),
    ])
    func `every orientation is turned upright, tile by tile`(orientation: Int, quarters: String) throws {
        let exif = ExifBuilder(main: [ExifBuilder.short(0x0112, UInt16(orientation))])
        let (answer, read) = try pyramid(of: Sample.jpeg(width: 1300, height: 700, exif: exif.bytes))
        let isAcross = orientation >= 5
        #expect((read.layout.width, read.layout.height) == (isAcross ? 700 : 1300, isAcross ? 1300 : 700))
        #expect(answer.metadata.width == read.layout.width && answer.metadata.isIncomplete == false)
        #expect(read.layout.levels.count == 1)
        #expect(try read.level(0).quarterNames == quarters)
    }

    @Test func `each level halves the previous one, down to the size of a rendition`() throws {
        let (_, read) = try pyramid(of: Sample.png(Sample.quarters(width: 5_201, height: 1_029)))
        #expect(read.layout.levels.map(\.width) == [5_201, 2_601, 1_301])
        #expect(read.layout.levels.map(\.height) == [1_029, 515, 258])
        for number in 0..<3 {
            let level = try read.level(number)
            #expect(level.quarterNames == "RGBW")
            // The edge is where it is in the finest level, and no pixel was lost or duplicated on the way there.
            let row = level.bytes[..<(3 * level.width)]
            let reds = stride(from: row.startIndex, to: row.endIndex, by: 3).count { row[$0] > 128 }
            #expect(abs(reds - level.width / 2) <= 1)
        }
    }

    @Test func `transparent tiles keep their alpha, and opaque tiles are JPEGs`() throws {
        var bytes = Sample.quarters(width: 3_000, height: 600, alpha: 255).bytes
        // On the left every other pixel is transparent; without its alpha, it would be white.
        for pixel in stride(from: 0, to: 3_000 * 600, by: 2) where pixel % 3_000 < 512 {
            bytes.replaceSubrange(4 * pixel..<4 * pixel + 4, with: [255, 255, 255, 0])
        }
        let png = Sample.png(try #require(Pixels(width: 3_000, height: 600, hasAlpha: true, bytes: bytes)))
        let read = try pyramid(of: png).1
        let kinds = try [0, 1].map { FileFormat(of: try read.file($0)) }
        #expect(kinds == [.webp, .jpeg])
        // Half as transparent, and no lighter than the visible pixels.
        let half = try read.file(read.layout.levels[1].firstTile)
        let identified = try IdentifiedOriginal(.bytes(half), limits: RenderLimits(), stop: RenderStop())
        let opened = try #require(cvips_image_open(identified.source.handle, VIPS_FAIL_ON_ERROR))
        let tile = try #require(Pixels(shrinking: Picture(owning: opened).inMemory(stop: RenderStop()), to: .max))
        let first = Array(tile.bytes.prefix(4))
        #expect(abs(Int(first[3]) - 128) <= 6 && first[0] > 190 && first[1] < 60 && first[2] < 60, "\(first)")
    }

    @Test func `the pyramid of a truncated file contains the part that exists`() throws {
        let whole = try Sample.jpeg(width: 1_200, height: 900)
        let (answer, read) = try pyramid(of: Array(whole.prefix(whole.count * 2 / 3)))
        #expect(answer.metadata.isIncomplete == true)
        #expect((read.layout.width, read.layout.height) == (1_200, 900))
        #expect(try read.level(0).quarterNames.hasPrefix("RG"))
    }

    @Test func `a drawing has no pyramid`() {
        let drawing = Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#.utf8)
        #expect { try pyramid(of: drawing) } throws: { ($0 as? RenderError)?.reason == .unsupported }
    }

    @Test func `a write error is not blamed on the picture`() throws {
        let output = open("/dev/full", O_WRONLY)
        defer { close(output) }
        let file = try Sample.jpeg(width: 600, height: 600)
        #expect {
            try renderer.perform(.pyramid, on: .bytes(file), output: output, stop: RenderStop())
        } throws: {
            ($0 as? RenderError)?.reason == .failed
        }
    }

    @Test func `a stopped pyramid render ends`() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let output = fileno(file)
        let asked = Atomic(0)
        let stop = RenderStop(poll: { asked.wrappingAdd(1, ordering: .relaxed).newValue > 20 })
        let original = try Sample.jpeg(width: 4_000, height: 3_000)
        #expect {
            try renderer.perform(.pyramid, on: .bytes(original), output: output, stop: stop)
        } throws: {
            ($0 as? RenderError)?.reason == .stopped
        }
    }
}
