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

    private func metadata(_ builder: ExifBuilder) -> ImageMetadata {
        var metadata = ImageMetadata()
        PictureMetadata(exif: ExifMetadata(builder.bytes)).describe(&metadata)
        return metadata
    }

    @Test func `EXIF tags become image metadata`() {
        let metadata = metadata(camera)
        #expect(metadata.orientation == 6)
        #expect(metadata.takenAt == "2024-05-01T10:00:00+02:00")
        #expect(metadata.camera?.make == "Nikon")
        #expect(metadata.camera?.model == "Z 6")
        #expect(metadata.camera?.lens == "50mm f/1.8")
        #expect(metadata.camera?.exposureTime == 0.004)
        #expect(metadata.camera?.aperture == 2.8)
        #expect(metadata.camera?.sensitivity == 400)
        #expect(metadata.camera?.focalLength == 50)
        #expect(metadata.place == ImageMetadata.Place(latitude: -33.86, longitude: 151.2, altitude: -12.5))
    }

    @Test func `the renderer finds the EXIF data of a JPEG`() throws {
        let jpeg = try Sample.jpeg(width: 80, height: 60, exif: camera.bytes)
        let metadata = try Renderer().inspect(.bytes(jpeg)).metadata
        #expect(metadata.camera?.model == "Z 6")
        #expect(metadata.place?.longitude == 151.2)
    }

    @Test(arguments: [
        ("2024:02:29 23:59:59", "2024-02-29T23:59:59Z"), ("2023:02:29 10:00:00", nil), ("0000:00:00 00:00:00", nil),
        ("2024:13:01 10:00:00", nil), ("2024:05:01 24:08:19", "2024-05-01T00:08:19Z"),
        ("2024-05-01 10:00:00", "2024-05-01T10:00:00Z"), ("    :  :", nil),
    ])
    func `an invalid time is omitted, and a time without a zone is UTC`(text: String, time: String?) {
        #expect(metadata(ExifBuilder(exposure: [ExifBuilder.text(0x9003, text)])).takenAt == time)
    }

    @Test(arguments: [
        ("90", "90"), ("178406", "178406"), ("0947", "0947"), ("5", "5"), ("12  ", "12"), ("00", nil), ("", nil),
        ("1.5", nil), ("1234567890123", "123456789"),
    ])
    func `the fraction of a second is a decimal one of any length`(text: String, fraction: String?) {
        let builder = ExifBuilder(exposure: [
            ExifBuilder.text(0x9003, "2024:05:01 10:00:00"), ExifBuilder.text(0x9291, text),
        ])
        let expected = fraction.map { $0 == "90" ? ".9" : ".\($0)" } ?? ""
        #expect(metadata(builder).takenAt == "2024-05-01T10:00:00\(expected)Z")
    }

    @Test func `a position of zero degrees north and east is none`() {
        let zero: [(UInt32, UInt32)] = [(0, 1), (0, 1), (0, 1)]
        let unset = ExifBuilder(position: [
            ExifBuilder.text(1, "N"), ExifBuilder.fractions(2, zero), ExifBuilder.text(3, "E"),
            ExifBuilder.fractions(4, zero),
        ])
        #expect(metadata(unset).place == nil)
        let equator = ExifBuilder(position: [
            ExifBuilder.text(1, "N"), ExifBuilder.fractions(2, zero), ExifBuilder.text(3, "E"),
            ExifBuilder.fractions(4, [(0, 1), (1, 1), (0, 1)]),
        ])
        #expect(metadata(equator).place?.latitude == 0)
    }

    @Test func `Windows tags are read, and descriptions that a camera writes are not`() {
        func wide(_ tag: UInt16, _ text: String) -> (UInt16, UInt16, UInt32, [UInt8]) {
            let units = text.utf16.map { Sample.little16($0) }
            let bytes = Array(units.joined()) + [0, 0]
            return (tag, 1, UInt32(bytes.count), bytes)
        }
        let described = metadata(
            ExifBuilder(main: [
                ExifBuilder.text(0x010e, "  A day\nat sea "), ExifBuilder.short(0x4746, 4),
                wide(0x9c9e, "See; Boot;;See;\u{1f6f6} 船"),
            ]))
        #expect(described.description == "A day at sea" && described.title == nil && described.rating == 4)
        #expect(described.keywords == ["See", "Boot", "\u{1f6f6} 船"])
        let titled = metadata(
            ExifBuilder(main: [ExifBuilder.text(0x010e, "of the camera"), wide(0x9c9b, "Ein Tag")]))
        #expect(titled.title == "Ein Tag" && titled.description == "of the camera")
        let empty = metadata(
            ExifBuilder(main: [
                ExifBuilder.text(0x010e, "OLYMPUS DIGITAL CAMERA"), ExifBuilder.short(0x4746, 0), wide(0x9c9e, " ; "),
            ]))
        #expect(empty == ImageMetadata())
    }

    @Test func `implausible values are omitted`() {
        let builder = ExifBuilder(
            main: [ExifBuilder.short(0x0112, 9)],
            exposure: [ExifBuilder.fractions(0x829a, [(1, 0)]), ExifBuilder.fractions(0x829d, [(0, 1)])],
            position: [
                ExifBuilder.text(1, "N"), ExifBuilder.fractions(2, [(91, 1), (0, 1), (0, 1)]), ExifBuilder.text(3, "E"),
                ExifBuilder.fractions(4, [(1, 1), (0, 1), (0, 1)]),
            ])
        #expect(metadata(builder) == ImageMetadata())
    }

    @Test func `truncated or corrupted data never causes an out-of-bounds read`() {
        let whole = camera.bytes
        var (blocks, changed) = (0, 0)
        for length in 0..<whole.count {
            guard let exif = ExifMetadata(Array(whole.prefix(length))) else { continue }
            var metadata = ImageMetadata()
            exif.describe(&metadata)
            _ = exif.thumbnail
            blocks += 1
        }
        for position in whole.indices {
            for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
                var bytes = whole
                bytes[position] = value
                guard let exif = ExifMetadata(bytes) else { continue }
                var metadata = ImageMetadata()
                exif.describe(&metadata)
                _ = exif.thumbnail
                changed += 1
            }
        }
        // Only truncation within the header yields nothing, and only changes of its first bytes.
        #expect(blocks > whole.count - 20 && changed > 4 * (whole.count - 20))
    }
}
