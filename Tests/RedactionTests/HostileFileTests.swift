import FileHeads
import Testing

@testable import Redaction

/// Files made by attackers: they neither crash nor occupy the server, and no metadata in them survives.
@Suite(.timeLimit(.minutes(2))) struct HostileFileTests {
    private static let secret = Array("Secret".utf8)
    private static let png = [0x89] + Array("PNG\r\n\u{1a}\n".utf8)

    private func edits(
        _ file: [UInt8], _ mediaType: String, keeping: Redactor.Keeping = .nothing
    ) throws -> FileEdits {
        try #require(Redactor(mediaType: mediaType, keeping: keeping)).edits(of: file)
    }

    private func redacted(_ file: [UInt8], _ mediaType: String) throws -> [UInt8] {
        var result = file
        try edits(file, mediaType).apply(to: &result, at: 0)
        return result
    }

    private func hasSecret(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: Self.secret) != nil }

    private func big(_ value: Int, _ width: Int = 4) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func little(_ value: Int) -> [UInt8] { big(value).reversed() }

    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8) + Array(name.utf8) + content
    }

    // MARK: - WebP

    @Test(arguments: 0...3) func `a WebP that is shorter than its own head is refused`(length: Int) {
        let file = Array("RIFF".utf8) + little(length) + Array("WEBP".utf8) + Self.secret
        #expect(throws: RedactionError.malformed) { try edits(file, "image/webp") }
    }

    @Test func `frames of a WebP in frames are not parsed`() throws {
        // More than a stack has room for.
        let depth = 100_000
        var file = Array("RIFF".utf8) + little(depth * 24 + 4) + Array("WEBP".utf8)
        for left in (0..<depth).reversed() {
            file += Array("ANMF".utf8) + little(left * 24 + 16) + [UInt8](repeating: 7, count: 16)
        }
        let result = try redacted(file, "image/webp")
        #expect(result.count { $0 == 7 } == 16)
    }

    // MARK: - PNG, GIF, and JPEG

    @Test func `a PNG whose chunks have no names is not read further`() throws {
        let file = Self.png + big(0) + [0, 1, 2, 3] + big(0) + Self.secret + [UInt8](repeating: 0, count: 64)
        let result = try redacted(file, "image/png")
        #expect(result == Self.png + [UInt8](repeating: 0, count: file.count - 8))
        #expect(try redacted(result, "image/png") == result)
    }

    @Test func `a truncated PNG chunk stays only if it contains pixels`() throws {
        for (name, stays) in [("IDAT", true), ("fdAT", true), ("iCCP", false), ("tRNS", false), ("tEXt", false)] {
            let result = try redacted(Self.png + big(1_000) + Array(name.utf8) + Self.secret, "image/png")
            #expect(hasSecret(result) == stays, "\(name)")
        }
    }

    @Test func `a GIF that ends within the head of an extension is redacted`() throws {
        let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
        #expect(try redacted(head + [0x21, 0xfe], "image/gif") == head + [0, 0])
    }

    @Test func `the last byte of a JPEG goes, too`() throws {
        let head: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 2]
        #expect(try redacted(head + [0x53], "image/jpeg") == head + [0])
    }

    /// Counts the bytes that are read.
    private final class CountedBytes: RandomAccessBytes {
        private let file: ArraySlice<UInt8>
        private(set) var count = 0

        init(_ file: [UInt8]) { self.file = file[...] }

        func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
            self.count += count
            return file.slice(at: position, count: count)
        }
    }

    @Test func `little is read of a JPEG's scan that is short`() throws {
        let scan: [UInt8] = [0xff, 0xda, 0, 2]
        let file = [0xff, 0xd8] + [UInt8]([[UInt8]](repeating: scan, count: 10_000).joined()) + [0xff, 0xd9]
        let bytes = CountedBytes(file)
        var redacted = RedactedFile(bytes, length: Int64(file.count))
        try redacted.redactJPEG(keeping: .nothing)
        #expect(redacted.edits.isEmpty && bytes.count < 300 * 10_000)
    }

    @Test(arguments: [Redactor.Keeping.metadata, .nothing])
    func `an orientation stored as text is removed`(keeping: Redactor.Keeping) throws {
        let entry = big(0x0112, 2) + big(2, 2) + big(Self.secret.count) + big(26)
        let block = Array("MM\0*".utf8) + big(8) + big(1, 2) + entry + big(0) + Self.secret
        #expect(RedactedExif.replacement(for: block[...], keeping: keeping) == [])
    }

    @Test func `a JPEG XL with any other first box is refused`() throws {
        let file = box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]) + box("jxlc", Self.secret)
        #expect(try redacted(file, "image/jxl") == file)
        for position in 0..<12 {
            var other = file
            other[position] ^= 0x40
            #expect(throws: RedactionError.malformed) { try edits(other, "image/jxl") }
        }
    }

    // MARK: - HEIF

    /// A HEIF with these items, whose places are relative to the content of its item data box, and further boxes.
    private func heif(_ items: [(type: String, place: Range<Int>)], data: [UInt8], more: [UInt8] = []) -> [UInt8] {
        var (infos, places) = ([UInt8](), [UInt8]())
        for (index, item) in items.enumerated() {
            infos += box("infe", [2, 0, 0, 0] + big(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0])
            places += big(index + 1, 2) + [0, 1, 0, 0] + big(1, 2) + big(item.place.lowerBound) + big(item.place.count)
        }
        let meta =
            box("iinf", big(0) + big(items.count, 2) + infos)
            + box("iloc", [1, 0, 0, 0, 0x44, 0] + big(items.count, 2) + places) + box("idat", data)
        return box("ftyp", Array("heic\0\0\0\0".utf8)) + box("meta", big(0) + meta + more)
    }

    @Test func `a HEIF keeps the images in its item data box`() throws {
        let file = heif([("hvc1", 0..<3), ("mime", 3..<9)], data: [9, 8, 7] + Self.secret)
        let result = try redacted(file, "image/heic")
        #expect(!hasSecret(result) && result.firstRange(of: [9, 8, 7, 0, 0, 0, 0, 0, 0]) != nil)
    }

    @Test(arguments: ["idat", "iinf", "iloc", "iprp"])
    func `a HEIF with two boxes where one belongs is refused`(name: String) throws {
        let other = box(name, name == "idat" ? Self.secret : big(0))
        let file = heif([("hvc1", 0..<3)], data: [9, 8, 7], more: name == "iprp" ? other + other : other)
        #expect(throws: RedactionError.malformed) { try redacted(file, "image/heic") }
    }

    @Test func `a HEIF whose metadata is a part of its image is refused`() throws {
        for type in ["mime", "Exif", "uri "] {
            for place in [2..<9, 3..<8, 4..<5] {
                let file = heif([("hvc1", 0..<5), (type, place)], data: [9, 8, 7] + Self.secret)
                #expect(throws: RedactionError.malformed) { try edits(file, "image/heic") }
            }
        }
    }

    @Test func `a HEIF with metadata outside of its data is refused`() throws {
        // A place in the file, and the widths of such places, instead of the ones in the item data box.
        var file = heif([("Exif", 12..<20)], data: [9, 8, 7])
        let iloc = try #require(file.firstRange(of: Array("iloc".utf8))).upperBound
        file[iloc + 11] = 0
        #expect(throws: RedactionError.malformed) { try edits(file, "image/heic") }
    }

    @Test func `a HEIF with thousands of Exif items is refused`() throws {
        let count = 3_000
        let file = heif(
            (0..<count).map { ("Exif", $0 * 8..<$0 * 8 + 8) }, data: [UInt8](repeating: 0, count: count * 8))
        #expect(throws: RedactionError.tooComplex) { try edits(file, "image/heic") }
    }

    @Test func `a HEIF keeps the properties of images only`() throws {
        let kept = box("ispe", big(0) + big(1) + big(1)) + box("irot", [1])
        let unknown = box("itai", Self.secret) + box("xxxx", Self.secret) + box("udes", Self.secret)
        let properties = box("iprp", box("ipco", kept + unknown) + box("ipma", big(0)) + box("xxxx", Self.secret))
        let file = heif([("hvc1", 0..<3)], data: [9, 8, 7], more: properties)
        let result = try redacted(file, "image/heic")
        #expect(!hasSecret(result) && result.firstRange(of: kept) != nil)
        #expect(result.firstRange(of: box("ipma", big(0))) != nil)
        #expect(result.ranges(of: Array("free".utf8)).count == 4)
    }

    @Test func `images may share their data`() throws {
        let file = heif(
            [("hvc1", 0..<5), ("hvc1", 2..<3), ("hvc1", 4..<8), ("mime", 8..<14)], data: Array(1...8) + Self.secret)
        let result = try redacted(file, "image/heic")
        #expect(!hasSecret(result) && result.firstRange(of: Array(1...8)) != nil)
    }
}
