import Images
import Testing

struct ImageFormatTests {
    @Test("Names, aliases, file extensions and media types each name one format")
    func namesAreUnambiguous() {
        let words = ImageFormat.all.flatMap { Set([$0.name] + $0.aliases + $0.fileExtensions) }
        let types = ImageFormat.all.flatMap(\.mediaTypes)
        #expect(words.count > 20 && Set(words).count == words.count)
        #expect(types.count > 15 && Set(types).count == types.count)
        #expect(ImageFormat.all.flatMap(\.fileExtensions).allSatisfy { $0.utf8.count <= 5 })
    }

    @Test("Every format that is decoded has a media type, a file extension and a signature")
    func decodedFormatsAreComplete() {
        let decoded = ImageFormat.all.filter { $0.decoder != nil }
        #expect(Set(decoded.compactMap(\.decoder)) == Set(ImageFormat.Decoder.allCases))
        for format in decoded {
            #expect(!format.mediaTypes.isEmpty && !format.fileExtensions.isEmpty, "\(format.name)")
            #expect(ImageFormat(mediaType: format.mediaType) == format)
        }
    }

    @Test(
        "The first bytes identify the format",
        arguments: [
            ("jpeg", "\u{ff}\u{d8}\u{ff}\u{e0}"), ("png", "\u{89}PNG\r\n\u{1a}\n"), ("gif", "GIF89a"),
            ("webp", "RIFF\u{24}\0\0\0WEBPVP8 "), ("avif", "\0\0\0\u{20}ftypavif"), ("avif", "\0\0\0\u{20}ftypavis"),
            ("heic", "\0\0\0\u{18}ftypheic"), ("heic", "\0\0\0\u{18}ftypmif1"), ("tiff", "II*\0\u{8}"),
            ("tiff", "MM\0+"), ("jxl", "\u{ff}\u{0a}\u{fa}"), ("svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
            ("svg", "<?xml version='1.0'?><!-- <html> -->\n<!DOCTYPE svg>\n <svg>"),
        ])
    func signatures(name: String, start: String) {
        let bytes = start.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(ImageFormat(firstBytes: bytes)?.name == name)
    }

    @Test(
        "Other bytes identify no format",
        arguments: ["", "RIFF\u{24}\0\0\0WAVE", "<html><svg>", "<?xml version='1.0'", "\0\0\0\u{18}ftypmp42", "GIF88a"])
    func otherFiles(start: String) {
        let bytes = start.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(ImageFormat(firstBytes: bytes) == nil)
    }
}
