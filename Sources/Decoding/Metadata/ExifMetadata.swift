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
            facts.takenAt = time(0x9003, offset: 0x9011, in: exposure)
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

    /// "2024:05:01 10:00:00" and "+02:00" as RFC 3339; UTC without a zone.
    private func time(_ tag: UInt16, offset: UInt16, in directory: TIFFDirectories.Directory) -> String? {
        guard let text = directories.text(tag, in: directory) else { return nil }
        let letters = Array(text.utf8)
        guard letters.count == 19, Self.matches(letters, "0000:00:00 00:00:00") else { return nil }
        let field = { (range: Range<Int>) in letters[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        let (year, month, day) = (field(0..<4), field(5..<7), field(8..<10))
        guard year > 0, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            field(11..<13) < 24, field(14..<16) < 60, field(17..<19) < 60
        else { return nil }
        let date = text.prefix(10).split(separator: ":").joined(separator: "-")
        return date + "T" + text.suffix(8) + zone(offset, in: directory)
    }

    private func zone(_ tag: UInt16, in directory: TIFFDirectories.Directory) -> String {
        guard let text = directories.text(tag, in: directory) else { return "Z" }
        let letters = Array(text.utf8)
        guard Self.matches(letters, "+00:00") || Self.matches(letters, "-00:00"),
            letters[1...2].lexicographicallyPrecedes("24".utf8), letters[4...5].lexicographicallyPrecedes("60".utf8)
        else { return "Z" }
        return text
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether `letters` look like `pattern`, where 0 stands for any digit.
    private static func matches(_ letters: [UInt8], _ pattern: String) -> Bool {
        letters.count == pattern.utf8.count
            && zip(letters, pattern.utf8).allSatisfy { letter, wanted in
                wanted == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter) : letter == wanted
            }
    }
}
