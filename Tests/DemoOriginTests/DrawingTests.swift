import CVips
import Images
import Renditions
import Testing

@testable import Decoding
@testable import DemoOrigin

@Suite struct NumberMosaicTests {
    private static let numbers = [0, 1, 7, 42, 9_999, 123_456, 1_000_000, NumberMosaic.limit - 1]

    @Test(arguments: numbers)
    func `a drawn number can be read from the pixels`(_ number: Int) throws {
        for (width, height) in [(160, 120), (120, 160), (64, 48), (48, 64), (17, 31)] {
            let picture = try #require(NumberedPicture(number: number, width: width, height: height))
            let canvas = picture.drawn(seed: 1)
            #expect(NumberMosaic.read(canvas.bytes, width: width, height: height) == number, "\(width)x\(height)")
        }
    }

    @Test func `a picture without a mosaic, or with a damaged one, yields no number`() throws {
        #expect(NumberMosaic.read([UInt8](repeating: 99, count: 64 * 48 * 3), width: 64, height: 48) == nil)
        #expect(NumberMosaic.read([], width: 0, height: 0) == nil)
        #expect(NumberMosaic.read([1, 2, 3], width: 64, height: 48) == nil)
        var canvas = try #require(NumberedPicture(number: 5, width: 64, height: 48)).drawn(seed: 1)
        canvas.fill(columns: 40..<48, rows: 38..<43, NumberMosaic.colours[3])
        canvas.fill(columns: 16..<24, rows: 38..<43, NumberMosaic.colours[2])
        #expect(NumberMosaic.read(canvas.bytes, width: 64, height: 48) != 5)
    }

    @Test func `the number survives scaling and encoding by the gallery`() throws {
        let renderer = try Renderer()
        for number in [77, 9_998] {
            let picture = try #require(NumberedPicture(number: number, seed: 1))
            let original = try picture.encoded(seed: 1)
            for rendition in [Rendition.preview, .tile] {
                for format in OutputFormat.allCases {
                    let outcome = try renderer.perform(
                        .make([rendition: format]), on: .bytes(original), stop: RenderStop())
                    guard case .made(let answer) = outcome else { continue }
                    let pixels = try Pixels(decoding: #require(answer.renditions[rendition]).bytes)
                    #expect(
                        NumberMosaic.read(pixels.bytes, width: pixels.width, height: pixels.height) == number,
                        "\(rendition) \(format)")
                }
            }
        }
    }
}

@Suite struct NumberedPictureTests {
    @Test func `a number is always drawn the same way, and another number differently`() throws {
        let one = try #require(NumberedPicture(number: 1, width: 64, height: 48))
        let two = try #require(NumberedPicture(number: 2, width: 64, height: 48))
        #expect(one.drawn(seed: 1).bytes == one.drawn(seed: 1).bytes)
        #expect(one.drawn(seed: 1).bytes != one.drawn(seed: 2).bytes)
        #expect(one.drawn(seed: 1).bytes != two.drawn(seed: 1).bytes)
    }

    @Test func `default sizes vary, and sizes that are too small or too large are rejected`() {
        let sizes = Set((0..<100).compactMap { NumberedPicture(number: $0, seed: 1) }.map { [$0.width, $0.height] })
        #expect(sizes.count > 4)
        #expect(NumberedPicture(number: 1, width: 15, height: 100) == nil)
        #expect(NumberedPicture(number: 1, width: 100, height: 4097) == nil)
        #expect(NumberedPicture(number: -1, seed: 1) == nil)
        #expect(NumberedPicture(number: NumberMosaic.limit, seed: 1) == nil)
    }

    @Test func `all digits differ`() throws {
        let drawn = (0...9).map { digit -> [UInt8] in
            var canvas = Canvas(width: 60, height: 80)
            Lettering(digit).draw(on: &canvas, share: 1)
            return canvas.bytes
        }
        #expect(Set(drawn).count == 10)
    }
}

@Suite struct PaddedJPEGTests {
    @Test func `a file is padded to the requested length and still shows the same picture`() throws {
        let picture = try #require(NumberedPicture(number: 6, width: 64, height: 48))
        let file = try picture.encoded(seed: 1)
        for extra in [4, 5, 100, 65_537, 65_538, 65_540, 65_541, 65_542, 200_000] {
            let padded = PaddedJPEG.pad(file, to: file.count + extra)
            #expect(padded.count == file.count + extra, "\(extra)")
            #expect(padded.suffix(file.count - 2) == file.suffix(file.count - 2))
        }
        #expect(PaddedJPEG.pad(file, to: 10) == file)
        let padded = try Pixels(decoding: PaddedJPEG.pad(file, to: 300_000))
        #expect(NumberMosaic.read(padded.bytes, width: padded.width, height: padded.height) == 6)
    }
}

@Suite struct PictureCacheTests {
    @Test func `the cache never holds more bytes than its limit`() throws {
        var cache = PictureCache(maximumBytes: 1_000)
        for number in 0..<2_000 {
            let picture = try #require(NumberedPicture(number: number, width: 16, height: 16))
            cache.insert(picture, [UInt8](repeating: 0, count: 300))
            #expect(cache.byteCount <= 1_000)
            #expect(cache.bytes(picture) != nil)
        }
        let large = try #require(NumberedPicture(number: 1, width: 17, height: 16))
        cache.insert(large, [UInt8](repeating: 0, count: 1_001))
        #expect(cache.bytes(large) == nil)
    }
}

@Suite struct SimulatedOutcomeTests {
    @Test func `an attempt always has the same outcome, and the next one another`() {
        let conditions = DemoOrigin.Conditions(latency: 200, jitter: 0.5, fail: 0.5, hang: 0.1)
        let fates = (1...50).map { SimulatedOutcome(number: 7, attempt: $0, seed: 1, conditions: conditions) }
        #expect(fates == (1...50).map { SimulatedOutcome(number: 7, attempt: $0, seed: 1, conditions: conditions) })
        #expect(Set(fates.map(\.outcome)).count > 2)
        #expect(fates.allSatisfy { (100...300).contains($0.latency) })
    }

    @Test func `failures occur at the configured rates`() {
        let conditions = DemoOrigin.Conditions(fail: 0.2, hang: 0.1)
        let outcomes = (0..<10_000).map {
            SimulatedOutcome(number: $0, attempt: 1, seed: 1, conditions: conditions).outcome
        }
        #expect((800...1_200).contains(outcomes.count { $0 == .hang }))
        #expect((1_800...2_200).contains(outcomes.count { if case .accident = $0 { true } else { false } }))
        let calm = (0..<1_000).map { SimulatedOutcome(number: $0, attempt: 1, seed: 1, conditions: .init()).outcome }
        #expect(calm.allSatisfy { $0 == .picture })
    }
}

extension Pixels {
    /// All pixels of an encoded picture.
    init(decoding file: [UInt8]) throws {
        let source = try DecoderSource(SourceReader(.bytes(file), stop: RenderStop()))
        let opened = try #require(cvips_image_open(source.handle, VIPS_FAIL_ON_TRUNCATED))
        let picture = try Picture(owning: opened).inMemory(stop: RenderStop())
        self = try #require(Pixels(shrinking: picture, to: .max))
    }
}

/// Encodes in this process, which is safe because the tests create the pixels themselves.
struct EncoderHere: PixelEncoding {
    func encode(
        _ pixels: [UInt8], width: Int, height: Int, as format: OutputFormat, quality: Int,
        deliver: @escaping @Sendable (Result<[UInt8], RenderError>) -> Void
    ) {
        deliver(
            Result { () throws(RenderError) in
                guard let pixels = Pixels(width: width, height: height, bytes: pixels) else {
                    throw RenderError(.failed, "The pixels do not match the dimensions.")
                }
                return try pixels.encoded(as: format, quality: quality)
            })
    }
}

extension NumberedPicture {
    fileprivate func encoded(seed: UInt64) throws -> [UInt8] {
        let pixels = try #require(Pixels(width: width, height: height, bytes: drawn(seed: seed).bytes))
        return try pixels.encoded(as: .jpeg, quality: 82)
    }
}
