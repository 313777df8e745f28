import Images

/// What a camera wrote beside the pixels (EXIF 2.32, CIPA DC-008).
struct ExifMetadata {
    private let directories: TIFFDirectories
    private let main: TIFFDirectories.Directory

    /// Nil unless the block holds at least a first directory.
    init?(_ block: [UInt8]) {
        guard let directories = TIFFDirectories(block), let main = directories.first else { return nil }
        self.directories = directories
        self.main = main
    }

    /// 1 to 8; nil where the tag is absent or says anything else.
    var orientation: Int? {
        directories.number(0x0112, in: main).map(Int.init).flatMap { (1...8).contains($0) ? $0 : nil }
    }

    /// Adds what is known to `facts`.
    func describe(_ facts: inout ImageFacts) {
        facts.orientation = orientation ?? facts.orientation
        var camera = ImageFacts.Camera()
        camera.make = directories.text(0x010f, in: main)
        camera.model = directories.text(0x0110, in: main)
        if let exposure = subdirectory(0x8769) {
            camera.lens = directories.text(0xa434, in: exposure)
            camera.exposureTime = positive(0x829a, in: exposure)
            camera.aperture = positive(0x829d, in: exposure)
            camera.focalLength = positive(0x920a, in: exposure)
            camera.sensitivity = directories.number(0x8827, in: exposure).flatMap { $0 > 0 ? Int($0) : nil }
        }
        if camera != ImageFacts.Camera() { facts.camera = camera }
        facts.place = place
    }

    /// The small JPEG that cameras put into the second directory, as it is stored: not yet upright.
    var thumbnail: ArraySlice<UInt8>? {
        guard let second = directories.directory(at: main.next),
            let offset = directories.number(0x0201, in: second),
            let count = directories.number(0x0202, in: second),
            let bytes = directories.slice(at: offset, count: count),
            bytes.starts(with: [0xff, 0xd8, 0xff])
        else { return nil }
        return bytes
    }

    private func subdirectory(_ tag: UInt16) -> TIFFDirectories.Directory? {
        directories.number(tag, in: main).flatMap { directories.directory(at: $0) }
    }

    private func positive(_ tag: UInt16, in directory: TIFFDirectories.Directory) -> Double? {
        directories.fractions(tag, count: 1, in: directory)?.first.flatMap { $0 > 0 ? $0 : nil }
    }

    private var place: ImageFacts.Place? {
        guard let position = subdirectory(0x8825),
            let latitude = degrees(0x0002, reference: 0x0001, negative: "S", limit: 90, in: position),
            let longitude = degrees(0x0004, reference: 0x0003, negative: "W", limit: 180, in: position)
        else { return nil }
        var altitude = directories.fractions(0x0006, count: 1, in: position)?.first
        if directories.number(0x0005, in: position) == 1 { altitude = altitude.map { -$0 } }
        return ImageFacts.Place(latitude: latitude, longitude: longitude, altitude: altitude)
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

    // MARK: - What people write

    /// When the shutter was opened.
    var taken: PictureTime? {
        guard let exposure = subdirectory(0x8769), let text = directories.text(0x9003, in: exposure) else { return nil }
        return PictureTime(exif: text, offset: directories.text(0x9011, in: exposure))
    }

    /// Stars, as Windows writes them.
    var rating: Double? { directories.number(0x4746, in: main).map(Double.init) }

    /// What Windows calls the title, or else EXIF's description, unless it is what cameras write into it by themselves.
    var title: String? {
        let limit = ImageFacts.maximumTitle
        if let text = directories.bytes(0x9c9b, in: main).flatMap({ MetadataText.wideText($0, upTo: limit) }) {
            return text
        }
        let text = directories.bytes(0x010e, in: main).flatMap { MetadataText.text($0, upTo: limit) }
        return text.flatMap { Self.camerasWords.contains($0.uppercased()) ? nil : $0 }
    }

    private static let camerasWords: Set<String> = [
        "OLYMPUS DIGITAL CAMERA", "SONY DSC", "MINOLTA DIGITAL CAMERA", "KONICA MINOLTA DIGITAL CAMERA",
        "DIGITAL CAMERA", "DCIM", "SAMSUNG", "KODAK DIGITAL STILL CAMERA", "CASIO COMPUTER CO.,LTD", "DEFAULT",
    ]

    /// As Windows writes them, with semicolons between.
    var keywords: [String] {
        let longest = ImageFacts.maximumKeywords * (ImageFacts.maximumKeyword + 1)
        var keywords: [String] = []
        let text = directories.bytes(0x9c9e, in: main).flatMap { MetadataText.wideText($0, upTo: longest) }
        for word in text?.split(separator: ";") ?? [] {
            let keyword = MetadataText.text(word.unicodeScalars, upTo: ImageFacts.maximumKeyword)
            MetadataText.add(keyword, to: &keywords, limit: ImageFacts.maximumKeywords)
        }
        return keywords
    }
}
