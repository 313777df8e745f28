import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct ExifMetadataTests {
    private var camera: ExifBuilder {
        ExifBuilder(
            main: [
                ExifBuilder.text(0x010f, "Nikon  "), ExifBuilder.text(0x0110, "Z\u{1} 6"), ExifBuilder.short(0x0112, 6),
            ],
            exposure: [
                ExifBuilder.fractions(0x829a, [(1, 250)]), ExifBuilder.fractions(0x829d, [(28, 10)]),
                ExifBuilder.short(0x8827, 400), ExifBuilder.text(0x9003, "2024:05:01 10:00:00"),
                ExifBuilder.text(0x9011, "+02:00"), ExifBuilder.fractions(0x920a, [(50, 1)]),
                ExifBuilder.text(0xa434, "50mm f/1.8"),
            ],
            position: [
                ExifBuilder.text(1, "S"), ExifBuilder.fractions(2, [(33, 1), (51, 1), (36, 1)]),
                ExifBuilder.text(3, "E"), ExifBuilder.fractions(4, [(151, 1), (12, 1), (0, 1)]),
                ExifBuilder.byte(5, 1), ExifBuilder.fractions(6, [(25, 2)]),
            ])
    }

    private func facts(_ builder: ExifBuilder) -> ImageFacts {
        var facts = ImageFacts()
        PictureMetadata(exif: ExifMetadata(builder.bytes)).describe(&facts)
        return facts
    }

    @Test func `what the camera wrote becomes facts`() {
        let facts = facts(camera)
        #expect(facts.orientation == 6)
        #expect(facts.takenAt == "2024-05-01T10:00:00+02:00")
        #expect(facts.camera?.make == "Nikon")
        #expect(facts.camera?.model == "Z 6")
        #expect(facts.camera?.lens == "50mm f/1.8")
        #expect(facts.camera?.exposureTime == 0.004)
        #expect(facts.camera?.aperture == 2.8)
        #expect(facts.camera?.sensitivity == 400)
        #expect(facts.camera?.focalLength == 50)
        #expect(facts.place == ImageFacts.Place(latitude: -33.86, longitude: 151.2, altitude: -12.5))
    }

    @Test func `it is found in a JPEG as the renderer reads it`() throws {
        let jpeg = try Sample.jpeg(width: 80, height: 60, exif: camera.bytes)
        let facts = try Renderer().inspect(.bytes(jpeg)).facts
        #expect(facts.camera?.model == "Z 6")
        #expect(facts.place?.longitude == 151.2)
    }

    @Test(arguments: [
        ("2024:02:29 23:59:59", "2024-02-29T23:59:59Z"), ("2023:02:29 10:00:00", nil), ("0000:00:00 00:00:00", nil),
        ("2024:13:01 10:00:00", nil), ("2024:05:01 24:00:00", nil), ("2024-05-01 10:00:00", nil), ("    :  :", nil),
    ])
    func `a time that is none is left out, and one without a zone is UTC`(text: String, time: String?) {
        #expect(facts(ExifBuilder(exposure: [ExifBuilder.text(0x9003, text)])).takenAt == time)
    }

    @Test func `what people write with Windows is read, and a description where there is no title`() {
        func wide(_ tag: UInt16, _ text: String) -> (UInt16, UInt16, UInt32, [UInt8]) {
            let units = text.utf16.map { Sample.little16($0) }
            let bytes = Array(units.joined()) + [0, 0]
            return (tag, 1, UInt32(bytes.count), bytes)
        }
        let described = facts(
            ExifBuilder(main: [
                ExifBuilder.text(0x010e, "  A day\nat sea "), ExifBuilder.short(0x4746, 4),
                wide(0x9c9e, "See; Boot;;See;\u{1f6f6} 船"),
            ]))
        #expect(described.title == "A day at sea" && described.rating == 4)
        #expect(described.keywords == ["See", "Boot", "\u{1f6f6} 船"])
        let titled = facts(
            ExifBuilder(main: [ExifBuilder.text(0x010e, "of the camera"), wide(0x9c9b, "Ein Tag")]))
        #expect(titled.title == "Ein Tag")
        let empty = facts(
            ExifBuilder(main: [
                ExifBuilder.text(0x010e, "OLYMPUS DIGITAL CAMERA"), ExifBuilder.short(0x4746, 0), wide(0x9c9e, " ; "),
            ]))
        #expect(empty == ImageFacts())
    }

    @Test func `values without sense are left out`() {
        let builder = ExifBuilder(
            main: [ExifBuilder.short(0x0112, 9)],
            exposure: [ExifBuilder.fractions(0x829a, [(1, 0)]), ExifBuilder.fractions(0x829d, [(0, 1)])],
            position: [
                ExifBuilder.text(1, "N"), ExifBuilder.fractions(2, [(91, 1), (0, 1), (0, 1)]), ExifBuilder.text(3, "E"),
                ExifBuilder.fractions(4, [(1, 1), (0, 1), (0, 1)]),
            ])
        #expect(facts(builder) == ImageFacts())
    }

    @Test func `no cut and no changed byte makes it read outside`() {
        let whole = camera.bytes
        var (blocks, changed) = (0, 0)
        for length in 0..<whole.count {
            guard let exif = ExifMetadata(Array(whole.prefix(length))) else { continue }
            var facts = ImageFacts()
            exif.describe(&facts)
            _ = exif.thumbnail
            blocks += 1
        }
        for position in whole.indices {
            for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
                var bytes = whole
                bytes[position] = value
                guard let exif = ExifMetadata(bytes) else { continue }
                var facts = ImageFacts()
                exif.describe(&facts)
                _ = exif.thumbnail
                changed += 1
            }
        }
        // Of the cuts only those within the header leave nothing, of the changes those of its first bytes.
        #expect(blocks > whole.count - 20 && changed > 4 * (whole.count - 20))
    }
}
