import FileHeads
import Testing

@testable import Redaction

/// Files with a secret in each place where a format allows one.
struct RedactorTests {
    private static let secret = Array("Secret".utf8)

    private func redacted(
        _ file: [UInt8], _ mediaType: String, keeping: Redactor.Keeping = .nothing
    ) throws -> [UInt8] {
        let redactor = try #require(Redactor(mediaType: mediaType, keeping: keeping))
        var result = file
        try redactor.edits(of: file).apply(to: &result, at: 0)
        #expect(result.count == file.count)
        return result
    }

    private func hasSecret(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: Self.secret) != nil }

    private func big(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func little(_ value: Int, _ width: Int) -> [UInt8] { big(value, width).reversed() }

    /// Exif with a maker, an orientation, the directories of the exposure and of GPS, and a maker's note.
    private func exif() -> [UInt8] {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            big(tag, 2) + big(type, 2) + big(count, 4) + value
        }
        // Directories at 8, 62, and 92; texts at 110.
        let main =
            big(4, 2) + entry(0x010f, 2, 6, big(110, 4)) + entry(0x0112, 3, 1, [0, 6, 0, 0])
            + entry(0x8769, 4, 1, big(62, 4)) + entry(0x8825, 4, 1, big(92, 4)) + big(0, 4)
        let exposure =
            big(2, 2) + entry(0x829a, 5, 1, big(122, 4)) + entry(0x927c, 7, 6, big(116, 4)) + big(0, 4)
        let place = big(1, 2) + entry(0x001d, 2, 6, big(116, 4)) + big(0, 4)
        return Array("MM\0*".utf8) + big(8, 4) + main + exposure + place + Array("Maker\0Secret".utf8) + big(1, 4)
            + big(250, 4)
    }

    @Test
    func `Exif keeps allowed tags and nothing else`() throws {
        let block = exif()
        for (keeping, hasMaker) in [(Redactor.Keeping.metadata, true), (.nothing, false)] {
            let replacement = RedactedExif.replacement(for: block[...], keeping: keeping)
            #expect(!hasSecret(replacement) && replacement.count <= block.count)
            let directories = try #require(TIFFDirectories(replacement))
            let main = try #require(directories.first)
            #expect(directories.orientation(in: main) == 6)
            #expect(directories.text(0x010f, in: main) == (hasMaker ? "Maker" : nil))
            #expect(directories.number(0x8825, in: main) == nil)
            let exposure = directories.number(0x8769, in: main).flatMap { directories.directory(at: $0) }
            #expect((exposure != nil) == hasMaker)
            if let exposure {
                #expect(directories.fractions(0x829a, count: 1, in: exposure) == [1.0 / 250])
                #expect(directories.bytes(0x927c, in: exposure) == nil)
            }
        }
    }

    @Test
    func `Exif that is not a TIFF structure is removed`() {
        #expect(RedactedExif.replacement(for: Self.secret[...], keeping: .metadata) == [])
        #expect(RedactedExif.replacement(for: [], keeping: .metadata) == [])
    }

    @Test
    func `a JPEG keeps tables, scans, and its profile`() throws {
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xff, marker] + big(content.count + 2, 2) + content
        }
        let table = segment(0xdb, Array(repeating: 7, count: 65))
        let profile = segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1, 5, 6])
        let scan = segment(0xda, [1, 1, 0, 0, 63, 0]) + [1, 0xff, 0, 2, 0xff, 0xd0, 3]
        var file: [UInt8] = [0xff, 0xd8]
        file += segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 2] + Self.secret)
        file += segment(0xe1, Array("Exif\0\0".utf8) + exif())
        file += segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Self.secret) + profile
        file += segment(0xed, Self.secret) + segment(0xfe, Self.secret) + table + Self.secret
        file += segment(0xc0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0]) + scan + segment(0xfe, Self.secret) + scan
        let end = file.count + 2
        file += [0xff, 0xd9] + Self.secret + [0xff, 0xd8, 0xff] + segment(0xe1, Self.secret)
        for keeping in [Redactor.Keeping.metadata, .nothing] {
            let result = try redacted(file, "image/jpeg", keeping: keeping)
            #expect(!hasSecret(result))
            #expect(result.firstRange(of: Array("Maker".utf8)) != nil || keeping == .nothing)
            for kept in [table, profile, scan] { #expect(result.firstRange(of: kept) != nil) }
            #expect(result.ranges(of: scan).count == 2)
            #expect(result[end...].allSatisfy { $0 == 0 })
        }
    }

    @Test
    func `a JPEG that is cut anywhere shows no secret`() throws {
        let segment = [0xff, 0xe1] + big(8, 2) + Self.secret
        let file = [0xff, 0xd8] + segment + segment + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 9, 9] + segment + segment
        var redactions = 0
        for length in 0...file.count {
            let cut = Array(file.prefix(length))
            do {
                #expect(!hasSecret(try redacted(cut, "image/jpeg")))
                redactions += 1
            } catch let error as RedactionError {
                #expect(error == .malformed && cut.count < 4)
            }
        }
        #expect(redactions == file.count - 3)
    }

    @Test
    func `a PNG keeps what the picture looks like, and correct checksums`() throws {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            var checksum = CRC32()
            checksum.update(Array(name.utf8) + content)
            return big(content.count, 4) + Array(name.utf8) + content + big(Int(checksum.value), 4)
        }
        let head = [0x89] + Array("PNG\r\n".utf8) + [0x1a, 0x0a] + chunk("IHDR", Array(repeating: 1, count: 13))
        let pixels = chunk("iCCP", [1, 2]) + chunk("IDAT", [3, 4])
        let file =
            head + chunk("eXIf", exif()) + chunk("tEXt", Array("Place\0".utf8) + Self.secret) + pixels
            + chunk("xxXx", Self.secret) + chunk("IEND", []) + Self.secret
        let result = try redacted(file, "image/png", keeping: .metadata)
        #expect(!hasSecret(result) && result.starts(with: head) && result.firstRange(of: pixels) != nil)
        var position = 8
        var names: [String] = []
        while position + 12 <= result.count - Self.secret.count {
            let count = result[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: result[position + 4..<position + 8], as: UTF8.self)
            let content = Array(result[position + 8..<position + 8 + count])
            #expect(Array(result[position..<position + 12 + count]) == chunk(name, content), "\(name)")
            names.append(name)
            position += 12 + count
        }
        #expect(names == ["IHDR", "eXIf", "zeRo", "iCCP", "IDAT", "zeRo", "IEND"])
    }

    @Test
    func `a WebP keeps its images, also those of an animation`() throws {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let frame = chunk(
            "ANMF", Array(repeating: 1, count: 16) + chunk("VP8L", [1, 2, 3]) + chunk("HIDE", Self.secret))
        let body =
            chunk("VP8X", Array(repeating: 0, count: 10)) + frame + chunk("EXIF", exif()) + chunk("XMP ", Self.secret)
        let file = Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body + Self.secret
        let result = try redacted(file, "image/webp", keeping: .metadata)
        #expect(!hasSecret(result) && result.firstRange(of: chunk("VP8L", [1, 2, 3])) != nil)
        #expect(result.firstRange(of: Array("Maker".utf8)) != nil)
        #expect(result.firstRange(of: Array("XMP ".utf8)) == nil)
    }

    @Test(arguments: [1, 2, 250, 254, 255, 256, 257, 258, 600])
    func `a GIF's comment becomes one of zeros, of whatever length`(length: Int) throws {
        let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
        let image: [UInt8] = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0]
        let loop = [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        var blocks: [UInt8] = []
        var left = length
        while left > 0 {
            let count = min(left, 255)
            blocks += [UInt8(count)] + Self.secret.prefix(count) + Array(repeating: 65, count: max(0, count - 6))
            left -= count
        }
        let xmp = [0x21, 0xff, 11] + Array("XMP DataXMP".utf8) + [6] + Self.secret + [0]
        let file = head + loop + [0x21, 0xfe] + blocks + [0] + image + xmp + [0x3b] + Self.secret
        let result = try redacted(file, "image/gif")
        #expect(!hasSecret(result) && result.starts(with: head + loop) && result.firstRange(of: image) != nil)
        #expect(!result.contains(65) || result.firstRange(of: [65, 65]) == nil)
        // A decoder can still walk the file: extensions, the image, and the trailer, at its place.
        var position = head.count
        while result[position] != 0x3b {
            position += result[position] == 0x2c ? 11 : 2
            while result[position] != 0 { position += 1 + Int(result[position]) }
            position += 1
        }
        #expect(position == file.count - 7)
    }

    @Test
    func `a HEIF keeps its images, and nothing else of its data`() throws {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(content.count + 8, 4) + Array(name.utf8) + content
        }
        let image: [UInt8] = [9, 8, 7, 6, 5]
        let item = big(6, 4) + Array("Exif\0\0".utf8) + exif()
        let items: [(type: String, data: [UInt8])] = [("hvc1", image), ("Exif", item), ("mime", Self.secret)]
        func file(at start: Int) -> [UInt8] {
            var (places, infos, offset) = ([UInt8](), [UInt8](), start)
            for (index, item) in items.enumerated() {
                places += big(index + 1, 2) + [0, 0] + big(1, 2) + big(offset, 4) + big(item.data.count, 4)
                infos += box(
                    "infe",
                    [2, 0, 0, 0] + big(index + 1, 2) + [0, 0] + Array(item.type.utf8) + Array("\0application/x\0".utf8))
                // Data of no item follows each.
                offset += item.data.count + Self.secret.count
            }
            let meta =
                box("hdlr", Array(repeating: 0, count: 24)) + box("iinf", [0, 0, 0, 0] + big(items.count, 2) + infos)
                + box("iloc", [0, 0, 0, 0, 0x44, 0] + big(items.count, 2) + places)
                + box("iprp", box("ipco", box("udes", Self.secret)))
                + box("uuid", Self.secret)
            return box("ftyp", Array("heic\0\0\0\0".utf8)) + box("uuid", Self.secret)
                + box("meta", [0, 0, 0, 0] + meta) + box("mdat", Array(items.map { $0.data + Self.secret }.joined()))
                + Self.secret
        }
        let data = Array(items.map { $0.data + Self.secret }.joined())
        let whole = file(at: try #require(file(at: 0).firstRange(of: data)).lowerBound)
        let result = try redacted(whole, "image/heic", keeping: .metadata)
        #expect(!hasSecret(result) && result.firstRange(of: image) != nil)
        #expect(result.firstRange(of: Array("Maker".utf8)) != nil)
        #expect(result.ranges(of: Array("free".utf8)).count == 3)
    }

    @Test
    func `a sequence in a HEIF is refused, because its tracks may have metadata`() {
        let file = big(8, 4) + Array("ftyp".utf8) + big(8, 4) + Array("moov".utf8)
        #expect(throws: RedactionError.unsupported) { try redacted(file, "image/avif") }
    }

    @Test
    func `a JPEG XL keeps its codestream`() throws {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(content.count + 8, 4) + Array(name.utf8) + content
        }
        let head = box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]) + box("ftyp", Array("jxl ".utf8))
        let stream = box("jxlc", [1, 2, 3])
        let file = head + box("Exif", Self.secret) + box("jbrd", Self.secret) + stream + box("brob", Self.secret) + [1]
        let result = try redacted(file, "image/jxl")
        #expect(!hasSecret(result) && result.starts(with: head) && result.firstRange(of: stream) != nil)
        let bare = [0xff, 0x0a] + Self.secret
        #expect(try redacted(bare, "image/jxl") == bare)
    }

    @Test
    func `formats whose metadata cannot be found are refused`() {
        for type in ["image/tiff", "image/svg+xml", "image/svg+xml-compressed", "image/x-canon-cr2", "text/html", ""] {
            #expect(Redactor(mediaType: type, keeping: .metadata) == nil)
        }
    }

    @Test(arguments: ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/jxl"])
    func `a file that is not of its format is refused`(mediaType: String) throws {
        let redactor = try #require(Redactor(mediaType: mediaType, keeping: .metadata))
        for file in [[], Self.secret, Array(repeating: 0x20, count: 1_000)] {
            #expect(throws: RedactionError.malformed) { try redactor.edits(of: file) }
        }
    }
}
