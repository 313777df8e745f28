import FileHeads
import Images
import Time

/// Metadata that a camera wrote (EXIF 2.32, CIPA DC-008).
struct ExifMetadata {
    private let directories: TIFFDirectories
    private let main: TIFFDirectories.Directory

    /// Nil unless the block contains at least a first directory.
    init?(_ block: [UInt8]) {
        guard let directories = TIFFDirectories(block), let main = directories.first else { return nil }
        self.directories = directories
        self.main = main
    }

    /// The longest value read from outside a TIFF's head, in bytes.
    private static let maximumValue = 64 << 10

    /// The metadata in a TIFF's own directories, wherever they are in the file: most programs write them last.
    init?(tiff reader: SourceReader) {
        let directories = TIFFDirectories(reader.head) { position, count in
            guard count <= Self.maximumValue else { return nil }
            let former = reader.position
            defer { _ = reader.seek(to: former, whence: 0) }
            return reader.slice(at: Int64(position), count: count)
        }
        guard let directories, let main = directories.first else { return nil }
        self.directories = directories
        self.main = main
    }

    /// 1 to 8; nil if the tag is absent or has any other value.
    var orientation: Int? { directories.orientation(in: main) }

    /// Adds the known values to `metadata`.
    func describe(_ metadata: inout ImageMetadata) {
        metadata.orientation = orientation ?? metadata.orientation
        var camera = ImageMetadata.Camera()
        camera.make = directories.text(0x010f, in: main)
        camera.model = directories.text(0x0110, in: main)
        if let exposure = subdirectory(0x8769) {
            camera.lens = directories.text(0xa434, in: exposure)
            camera.exposureTime = positive(0x829a, in: exposure)
            camera.aperture = positive(0x829d, in: exposure)
            camera.focalLength = positive(0x920a, in: exposure)
            camera.sensitivity = directories.number(0x8827, in: exposure).flatMap { $0 > 0 ? Int($0) : nil }
        }
        if camera != ImageMetadata.Camera() { metadata.camera = camera }
        metadata.place = place
    }

    /// The small JPEG that cameras put into the second directory, as stored: not yet upright.
    var thumbnail: ArraySlice<UInt8>? { directories.thumbnail(after: main) }

    private func subdirectory(_ tag: UInt16) -> TIFFDirectories.Directory? {
        directories.number(tag, in: main).flatMap { directories.directory(at: $0) }
    }

    private func positive(_ tag: UInt16, in directory: TIFFDirectories.Directory) -> Double? {
        directories.fractions(tag, count: 1, in: directory)?.first.flatMap { $0 > 0 ? $0 : nil }
    }

    private var place: ImageMetadata.Place? {
        guard let position = subdirectory(0x8825),
            let latitude = degrees(0x0002, reference: 0x0001, negative: "S", limit: 90, in: position),
            let longitude = degrees(0x0004, reference: 0x0003, negative: "W", limit: 180, in: position)
        else { return nil }
        var altitude = directories.fractions(0x0006, count: 1, in: position)?.first
        if directories.number(0x0005, in: position) == 1 { altitude = altitude.map { -$0 } }
        return ImageMetadata.Place(latitude: latitude, longitude: longitude, altitude: altitude).unlessUnset
    }

    private func degrees(
        _ tag: UInt16, reference: UInt16, negative: String, limit: Double, in directory: TIFFDirectories.Directory
    ) -> Double? {
        guard let parts = directories.fractions(tag, count: 3, in: directory),
            let side = directories.text(reference, in: directory)
        else { return nil }
        let value = parts[0] + parts[1] / 60 + parts[2] / 3600
        guard value <= limit else { return nil }
        return side.uppercased().hasPrefix(negative) ? -value : value
    }

    // MARK: - Values written by people

    /// When the shutter was opened (DateTimeOriginal).
    var taken: PictureTime? { time(0x9003, offset: 0x9011, fraction: 0x9291) }

    /// When the picture became data (DateTimeDigitized): with a camera at the same time, with a scanner long after.
    var digitized: PictureTime? { time(0x9004, offset: 0x9012, fraction: 0x9292) }

    /// Some programs write the times into the first directory.
    private func time(_ tag: UInt16, offset: UInt16, fraction: UInt16) -> PictureTime? {
        for directory in [subdirectory(0x8769), main].compactMap(\.self) {
            let text = { directories.bytes($0, in: directory).flatMap { MetadataText.text($0, upTo: 64) } }
            if let time = text(tag).flatMap({ PictureTime($0, offset: text(offset)) }) {
                return time.adding(fraction: text(fraction))
            }
        }
        return nil
    }

    /// Stars, as Windows writes them.
    var rating: Double? { directories.number(0x4746, in: main).map(Double.init) }

    /// As Windows writes it.
    var title: String? {
        directories.bytes(0x9c9b, in: main).flatMap { MetadataText.wideText($0, upTo: ImageMetadata.maximumTitle) }
    }

    /// EXIF's description, unless it is a default text of the camera, or else the comment that Windows writes.
    var description: String? {
        let limit = ImageMetadata.maximumDescription
        let text = directories.bytes(0x010e, in: main).flatMap { MetadataText.text($0, upTo: limit) }
        if let text, !Self.camerasWords.contains(text.uppercased()) { return text }
        return directories.bytes(0x9c9c, in: main).flatMap { MetadataText.wideText($0, upTo: limit) }
    }

    private static let camerasWords: Set<String> = [
        "OLYMPUS DIGITAL CAMERA", "SONY DSC", "MINOLTA DIGITAL CAMERA", "KONICA MINOLTA DIGITAL CAMERA",
        "DIGITAL CAMERA", "DCIM", "SAMSUNG", "KODAK DIGITAL STILL CAMERA", "CASIO COMPUTER CO.,LTD", "DEFAULT",
    ]

    /// As Windows writes them, separated by semicolons.
    var keywords: [String] {
        let longest = ImageMetadata.maximumKeywords * (ImageMetadata.maximumKeyword + 1)
        var keywords: [String] = []
        let text = directories.bytes(0x9c9e, in: main).flatMap { MetadataText.wideText($0, upTo: longest) }
        for word in text?.split(separator: ";") ?? [] {
            let keyword = MetadataText.text(word.unicodeScalars, upTo: ImageMetadata.maximumKeyword)
            MetadataText.add(keyword, to: &keywords, limit: ImageMetadata.maximumKeywords)
        }
        return keywords
    }
}
