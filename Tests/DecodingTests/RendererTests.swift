import Images
import Renditions
import Synchronization
import Testing

@testable import Decoding

@Suite struct RendererTests {
    private let renderer = try! Renderer()

    private func render(_ bytes: [UInt8], as rendition: Rendition = .tile) throws -> Renderer.Made {
        try renderer.render(.bytes(bytes), as: rendition, format: .jpeg, stop: RenderStop())
    }

    @Test(arguments: [(Rendition.preview, 64), (.tile, 320), (.screen, 1600)])
    func `a rendition has its nominal longer side and the picture's aspect ratio`(
        rendition: Rendition, side: Int
    ) throws {
        let rendered = try render(Sample.jpeg(width: 3200, height: 1600), as: rendition)
        #expect((rendered.width, rendered.height) == (side, side / 2))
        #expect(try Pixels.decoding(rendered.bytes).quarterNames == "RGBW")
    }

    @Test(arguments: [(1, 1), (40, 30), (1, 2000), (2000, 1), (319, 320)])
    func `a picture is never enlarged, however thin it is`(width: Int, height: Int) throws {
        let png = Sample.png(Sample.quarters(width: width, height: height))
        for format in OutputFormat.allCases {
            let rendered = try renderer.render(.bytes(png), as: .tile, format: format, stop: RenderStop())
            #expect(rendered.width <= width && rendered.height <= height && max(rendered.width, rendered.height) <= 320)
        }
    }

    @Test(arguments: [
        (1, "RGBW"), (2, "GRWB"), (3, "WBGR"), (4, "BWRG"), (5, "RBGW"), (6, "BRWG"), (7, "WGBR"), (8, "GWRB"),
    ])
    func `every orientation is turned upright`(orientation: Int, quarters: String) throws {
        let exif = ExifBuilder(main: [ExifBuilder.short(0x0112, UInt16(orientation))])
        let rendered = try render(Sample.jpeg(width: 800, height: 400, exif: exif.bytes))
        #expect(rendered.width == (orientation >= 5 ? 160 : 320))
        #expect(rendered.metadata.width == (orientation >= 5 ? 400 : 800))
        #expect(rendered.metadata.orientation == orientation)
        #expect(try Pixels.decoding(rendered.bytes).quarterNames == quarters)
    }

    @Test func `every format is decoded and identified by its content`() throws {
        let pixels = Sample.quarters(width: 200, height: 100)
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="100" height="50" fill="#d11"/>\
            <rect x="100" width="100" height="50" fill="#1d1"/><rect y="50" width="100" height="50" fill="#11d"/>\
            <rect x="100" y="50" width="100" height="50" fill="#fff"/></svg>
            """
        let files: [(String, [UInt8])] = [
            ("image/jpeg", try pixels.encoded(as: .jpeg)), ("image/png", Sample.png(pixels)),
            ("image/webp", try pixels.encoded(as: .webp)), ("image/avif", try pixels.encoded(as: .avif)),
            ("image/tiff", Sample.tiff(pixels)), ("image/svg+xml", Array(svg.utf8)),
        ]
        for (mediaType, bytes) in files {
            let rendered = try render(bytes)
            #expect(rendered.metadata.mediaType == mediaType)
            #expect((rendered.metadata.width, rendered.metadata.height) == (200, 100))
            #expect(rendered.metadata.byteCount == Int64(bytes.count))
            #expect(try Pixels.decoding(rendered.bytes).quarterNames == "RGBW", "\(mediaType)")
        }
    }

    @Test func `the first frame of an animation is shown`() throws {
        let rendered = try render(Sample.gif(frames: 3))
        #expect(rendered.metadata.frames == 3)
        #expect(try Pixels.decoding(rendered.bytes).quarterNames == "RRRR")
    }

    @Test func `APNG frames are counted although only the first is decoded`() throws {
        let still = Sample.png(Sample.quarters(width: 40, height: 20))
        #expect(try render(still).metadata.frames == 1)
        let head = Sample.pngHeader(width: 40, height: 20, colourType: 2).count
        for (count, told) in [(UInt32(8), 8), (0, 1), (UInt32.max, RenderLimits().maximumFrames)] {
            let control = Sample.chunk("acTL", Sample.big32(count) + Sample.big32(0))
            let moving = Array(still.prefix(head)) + control + still.dropFirst(head)
            let rendered = try render(moving)
            #expect(rendered.metadata.frames == told)
            #expect(try Pixels.decoding(rendered.bytes).quarterNames == "RGBW")
        }
    }

    @Test func `an AVIF sequence is shown by its primary image, and its frames are counted`() throws {
        let quarters = Sample.png(Sample.quarters(width: 100, height: 60))
        var sequence = try renderer.render(.bytes(quarters), as: .tile, format: .avif, stop: RenderStop()).bytes
        #expect(sequence[8..<12].elementsEqual("avif".utf8))
        sequence.replaceSubrange(8..<12, with: "avis".utf8)
        #expect(try render(sequence).metadata.frames == 1)
        let samples = ["stbl", "minf", "mdia", "trak", "moov"].reduce(
            Sample.box("stsz", Sample.big32(0) + Sample.big32(0) + Sample.big32(6))
        ) { Sample.box($1, Sample.box("free", [1, 2, 3]) + $0) }
        let rendered = try render(sequence + samples)
        #expect(rendered.metadata.frames == 6 && rendered.metadata.mediaType == "image/avif")
        #expect(try Pixels.decoding(rendered.bytes).quarterNames == "RGBW")
        for cut in 1..<samples.count { #expect(try render(sequence + samples.prefix(cut)).metadata.frames == 1) }
    }

    @Test func `an AVIF sequence without a primary image is unsupported, not damaged`() {
        let sequence = Sample.big32(28) + Array("ftypavis".utf8) + Sample.big32(0) + Array("avismif1msf1".utf8)
        #expect { try render(sequence + [UInt8](repeating: 0, count: 200)) } throws: {
            ($0 as? RenderError)?.reason == .unsupported
        }
    }

    @Test func `transparency is kept where the format supports it and becomes grey elsewhere`() throws {
        let png = Sample.png(Sample.quarters(width: 100, height: 100, alpha: 0))
        let grey = try Pixels.decoding(render(png).bytes)
        #expect(!grey.bytes.isEmpty && grey.bytes.allSatisfy { (120...136).contains($0) })
        for format in [OutputFormat.webp, .avif] {
            let clear = try renderer.render(.bytes(png), as: .tile, format: format, stop: RenderStop())
            let again = try Pixels.decoding(render(clear.bytes).bytes)
            #expect(!again.bytes.isEmpty && again.bytes.allSatisfy { (116...140).contains($0) }, "\(format)")
        }
    }

    @Test(arguments: OutputFormat.allCases)
    func `a rendition contains no metadata of the original`(format: OutputFormat) throws {
        let exif = ExifBuilder(
            main: [ExifBuilder.text(0x010f, "SecretCamera")],
            position: [
                ExifBuilder.text(1, "N"), ExifBuilder.fractions(2, [(1, 1), (2, 1), (3, 1)]), ExifBuilder.text(3, "E"),
                ExifBuilder.fractions(4, [(1, 1), (2, 1), (3, 1)]),
            ])
        let jpeg = try Sample.jpeg(width: 400, height: 300, exif: exif.bytes)
        let rendered = try renderer.render(.bytes(jpeg), as: .tile, format: format, stop: RenderStop())
        let text = String(decoding: rendered.bytes, as: Unicode.ASCII.self)
        for word in ["SecretCamera", "Exif", "EXIF", "ICC", "MM\0*"] { #expect(!text.contains(word)) }
        #expect(rendered.metadata.camera?.make == "SecretCamera")
    }

    @Test func `one decode yields several renditions, each in its own format`() throws {
        let jpeg = try Sample.jpeg(width: 800, height: 600)
        let all = try renderer.render(.bytes(jpeg), as: [.tile: .jpeg, .preview: .webp], stop: RenderStop())
        #expect(all.renditions.keys.sorted { $0.rawValue < $1.rawValue } == [.preview, .tile])
        #expect(all.renditions[.tile]?.width == 320 && all.renditions[.preview]?.width == 64)
        #expect(all.renditions[.preview]?.mediaType == "image/webp")
        #expect(all.metadata.placeholder != nil && all.metadata.isIncomplete == false)
    }

    @Test func `no rendition has more pixels than the picture, and the full one has all of them`() throws {
        let jpeg = try Sample.jpeg(width: 1_000, height: 700)
        let wanted = Dictionary(uniqueKeysWithValues: Rendition.steps.map { ($0, OutputFormat.jpeg) })
        let all = try renderer.render(.bytes(jpeg), as: wanted, stop: RenderStop())
        #expect(Rendition.steps.map { all.renditions[$0]?.width } == [160, 320, 640, 1_000, 1_000, 1_000, 1_000])
        #expect(try render(jpeg, as: .full).height == 700)
    }

    @Test func `a small original that browsers display the same way is passed through`() throws {
        func made(_ bytes: [UInt8], _ format: OutputFormat, as rendition: Rendition = .tile) throws -> Rendered? {
            try renderer.render(.bytes(bytes), as: [rendition: format], stop: RenderStop()).renditions[rendition]
        }
        let jpeg = try Sample.jpeg(width: 200, height: 100)
        #expect(try made(jpeg, .jpeg)?.bytes == jpeg)
        let gif = Sample.gif(frames: 1)
        #expect(try made(gif, .webp).map { [$0.bytes == gif, $0.mediaType == "image/gif"] } == [true, true])
        let webp = try Sample.quarters(width: 200, height: 100).encoded(as: .webp)
        #expect(try made(webp, .webp)?.bytes == webp)

        // A file that would be displayed differently, or is larger than necessary, is encoded.
        let sideways = ExifBuilder(main: [ExifBuilder.short(0x0112, 6)])
        for other in [
            try made(webp, .jpeg), try made(Sample.gif(frames: 2), .jpeg), try made(jpeg, .jpeg, as: .preview),
            try made(Sample.jpeg(width: 200, height: 100, exif: sideways.bytes), .jpeg),
            try made(Sample.jpeg(width: 400, height: 200), .jpeg), try made(Array(jpeg.dropLast(40)), .jpeg),
            try made(Sample.png(Sample.quarters(width: 200, height: 100)), .jpeg),
        ] {
            let other = try #require(other)
            #expect(other.mediaType == "image/jpeg" && ![jpeg, gif, webp].contains(other.bytes))
        }
    }

    @Test func `a drawing is rasterized at the size of the rendition`() throws {
        let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9"/></svg>"#
        #expect(try render(Array(svg.utf8), as: .step640).width == 640)
        #expect(try render(Array(svg.utf8), as: .full).width == 2_560)
    }

    @Test func `a picture whose pixels exceed the memory limit is reported as too large`() throws {
        let renderer = try Renderer(limits: RenderLimits(words: ["memory=\(128 << 20)"]) ?? RenderLimits())
        let png = Sample.png(Sample.quarters(width: 4_000, height: 3_000))
        let error = #expect(throws: RenderError.self) {
            try renderer.render(.bytes(png), as: .full, format: .jpeg, stop: RenderStop())
        }
        #expect(error?.reason == .tooLarge)
        #expect(try renderer.render(.bytes(png), as: .tile, format: .jpeg, stop: RenderStop()).width == 320)
    }

    @Test func `the original is not a rendition that can be rendered`() throws {
        let jpeg = try Sample.jpeg(width: 80, height: 60)
        #expect(throws: RenderError.self) { try render(jpeg, as: .original) }
    }

    @Test func `inspection reads the dimensions without decoding`() throws {
        let whole = try Sample.jpeg(width: 800, height: 600)
        let head = Array(whole.prefix(700))
        #expect(try renderer.inspect(.bytes(head)).metadata.width == 800)
        // No pixels are available, and decoding reports that.
        #expect(try render(head).metadata.isIncomplete == true)
    }

    @Test func `a stopped render fails as stopped, which is not permanent`() throws {
        let stop = RenderStop()
        let picture = try Picture(copying: [1, 2, 3], width: 1, height: 1, bands: 3)
        stop.stop()
        #expect(throws: DecoderFailure.self) { try picture.inMemory(stop: stop) }
        let jpeg = try Sample.jpeg(width: 80, height: 60)
        let error = #expect(throws: RenderError.self) {
            try renderer.render(.bytes(jpeg), as: .tile, format: .jpeg, stop: stop)
        }
        #expect(error?.reason == .stopped && error?.isPermanent == false)
    }

    @Test func `a good picture is never reported as damaged, whenever its render is stopped`() throws {
        let png = Sample.png(Sample.quarters(width: 640, height: 480))
        for original in [try Sample.jpeg(width: 640, height: 480), ProgressiveTests.progressive, png] {
            var wasMade = false
            for patience in 0..<2_000 where !wasMade {
                let asked = Atomic(0)
                let stop = RenderStop(poll: { asked.wrappingAdd(1, ordering: .relaxed).newValue > patience })
                do throws(RenderError) {
                    _ = try renderer.perform(.make([.tile: .jpeg]), on: .bytes(original), stop: stop)
                    wasMade = asked.load(ordering: .relaxed) <= patience
                } catch {
                    #expect(error.reason == .stopped, "stopped after \(patience) polls: \(error)")
                }
            }
            #expect(wasMade)
        }
    }
}
