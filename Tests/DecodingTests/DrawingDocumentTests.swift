import CLinux
import Images
import Renditions
import Testing

@testable import Decoding

/// Vector drawings as they come, and as the decoder gets them.
@Suite struct DrawingDocumentTests {
    private let renderer = try! Renderer()

    private static let quarters = """
        <rect width="120" height="80" fill="#d11"/><rect x="120" width="120" height="80" fill="#1d1"/>\
        <rect y="80" width="120" height="80" fill="#11d"/><rect x="120" y="80" width="120" height="80" fill="#fff"/></svg>
        """

    private func svg(_ attributes: String, before: String = "") -> String {
        "\(before)<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(Self.quarters)"
    }

    private func tile(_ file: [UInt8], as rendition: Rendition = .tile) throws -> (pixels: Pixels, ImageMetadata) {
        let made = try renderer.render(.bytes(file), as: rendition, format: .jpeg, stop: RenderStop())
        return (try Pixels.decoding(made.bytes), made.metadata)
    }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 100) { buffer, count in
            count = clinux_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count, 6)
        }
    }

    private static func utf16(_ text: String, isBigEndian: Bool, hasMark: Bool = true) -> [UInt8] {
        ((hasMark ? "\u{feff}" : "") + text).utf16.flatMap { unit in
            isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xff)] : [UInt8(unit & 0xff), UInt8(unit >> 8)]
        }
    }

    @Test(arguments: [
        "", "width=\"240\"", "height='160'", "width=\"100%\" height=\"100%\"", "width=\"240\" height=\"160\"",
        "viewBox=\"0 0 240 160\"", "width=\"24mm\" viewBox=\"0 0 240 160\"", "width=\"120\" height=\"auto\"",
    ])
    func `a drawing fills its frame, whichever sizes it states`(attributes: String) throws {
        for rendition in [Rendition.preview, .tile, .screen] {
            let (pixels, metadata) = try tile(Array(svg(attributes).utf8), as: rendition)
            #expect(max(pixels.width, pixels.height) == rendition.longestSide)
            #expect(pixels.width * 2 / 3 == pixels.height || pixels.width * 2 / 3 == pixels.height - 1)
            #expect(pixels.quarterNames == "RGBW", "\(attributes)")
            #expect(metadata.mediaType == "image/svg+xml")
        }
    }

    @Test func `an empty drawing without a size has that of browsers`() throws {
        let (pixels, metadata) = try tile(Array("<svg xmlns='http://www.w3.org/2000/svg'></svg>".utf8))
        #expect((metadata.width, metadata.height) == (300, 150) && pixels.width == 2 * pixels.height)
    }

    @Test(arguments: [("100000", "66666"), ("4000000", "2666667"), ("100000cm", "66666cm"), ("1e7", "6666667")])
    func `a drawing of any size is drawn`(width: String, height: String) throws {
        for attributes in [
            "width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 240 160\"",
            "width=\"\(width)\" viewBox=\"0 0 240 160\"",
        ] {
            for rendition in [Rendition.preview, .screen] {
                let (pixels, metadata) = try tile(Array(svg(attributes).utf8), as: rendition)
                #expect(pixels.quarterNames == "RGBW" && pixels.width == rendition.longestSide)
                #expect(metadata.width ?? 0 >= 100_000 && metadata.width ?? 0 <= 10_000_000)
            }
        }
        let (start, drawn) = ("<svg xmlns='http://www.w3.org/2000/svg'>", Self.quarters.dropLast(6))
        let (pixels, _) = try tile(Array("\(start)<g transform='scale(5000)'>\(drawn)</g></svg>".utf8))
        #expect(pixels.quarterNames == "RGBW")
    }

    @Test func `the root may come after any comments and declarations`() throws {
        let long = String(repeating: "x", count: 5_000)
        for before in [
            "<!-- \(long) -->", "<?xml version=\"1.0\"?>\n<!-- <html> \(long) -->\n",
            "\u{feff}<?xml version='1.0' encoding='utf-8'?><!DOCTYPE svg SYSTEM \"a>b\" [<!-- ]> ' --><!ENTITY l \"\(long)\">]>",
        ] {
            let (pixels, _) = try tile(Array(svg("width='240' height='160'", before: before).utf8))
            #expect(pixels.quarterNames == "RGBW")
        }
        let prefixed = """
            <!-- \(long) --><s:svg xmlns:s="http://www.w3.org/2000/svg" width="3" height="2"><s:rect width="3" height="2" \
            fill="#d11"/></s:svg>
            """
        #expect(try tile(Array(prefixed.utf8)).pixels.quarterNames == "RRRR")
    }

    @Test func `a drawing may be in UTF-16, and in encodings that it declares`() throws {
        let declared = svg("width='240' height='160'", before: "<?xml version='1.0' encoding='UTF-16'?>\n")
        for isBigEndian in [false, true] {
            for hasMark in [false, true] {
                let file = Self.utf16(declared, isBigEndian: isBigEndian, hasMark: hasMark)
                #expect(try tile(file).pixels.quarterNames == "RGBW")
            }
        }
        let latin = svg("width='240' height='160' id='", before: "<?xml version='1.0' encoding='ISO-8859-1'?>")
        let parts = latin.split(separator: "id='", maxSplits: 1)
        let file = Array(parts[0].utf8) + Array("id='".utf8) + [0xe4, 0x27] + Array(parts[1].utf8)
        #expect(try tile(file).pixels.quarterNames == "RGBW")
    }

    @Test func `a compressed drawing is drawn, and named as such`() throws {
        let file = Self.gzip(Array(svg("width='240' height='160'").utf8))
        let (pixels, metadata) = try tile(file)
        #expect(pixels.quarterNames == "RGBW" && metadata.isDrawing)
        #expect(metadata.mediaType == "image/svg+xml-compressed" && metadata.byteCount == Int64(file.count))
        let wide = Self.utf16(svg(""), isBigEndian: true)
        #expect(try tile(Self.gzip(wide)).pixels.quarterNames == "RGBW")
    }

    private func failure(_ file: [UInt8]) -> RenderError? {
        do { _ = try tile(file) } catch { return error as? RenderError }
        return nil
    }

    @Test func `a compressed file of something else, too much or too little is refused`() throws {
        let start = Array(svg("width='240' height='160'").utf8)
        let other = Self.gzip(Array("Only a few words in plain English.".utf8))
        #expect(failure(other)?.publicMessage.contains("an archive") == true)
        let bomb = Self.gzip(start + [UInt8](repeating: 0x20, count: 60 << 20))
        #expect(bomb.count < 100_000 && failure(bomb)?.reason == .tooLarge)
        let whole = Self.gzip(start)
        #expect(failure(Array(whole.dropLast(20)))?.reason == .damaged)
        for length in 1..<whole.count { #expect(failure(Array(whole.prefix(length))) != nil) }
    }

    @Test func `the root's attributes keep their order and values, except those of the frame`() {
        let tag = Array(" id='a' width = '5in' data-width=\"9\" viewBox='1,2 30 40' x=''".utf8)
        let frame = DrawingFrame(tag[...])
        #expect(frame.width == 360 && frame.height == nil && frame.viewBox == [1, 2, 30, 40])
        let changed = frame.attributes(tag[...], width: 3, height: 4, natural: (360, 480))
        #expect(
            String(decoding: changed, as: UTF8.self)
                == " width=\"3.0\" height=\"4.0\" viewBox=\"1.0 2.0 30.0 40.0\" id='a'  data-width=\"9\"  x=''")
    }

    @Test func `a cut or malformed beginning is no drawing, and causes no crash`() {
        let before = "\u{feff}<?xml?><!-- a --><!DOCTYPE svg [<!ENTITY a '>'> <?p ?>]> "
        let text = Array(svg("width='1'", before: before).utf8)
        let prolog = XMLProlog(text[...])
        #expect(prolog?.rootName == "svg" && prolog?.declarationEnd == 8 + 2)
        guard let end = prolog?.rootAttributes.upperBound else { return }
        for length in 0...end { #expect(XMLProlog(text[..<length]) == nil) }
        for other in ["", "<", "<svg", "svg>", "<a<svg>", "<svg a='>", "<::>", "<!-- -", "<?xml", "<!DOCTYPE ["] {
            #expect(XMLProlog(Array(other.utf8)[...]) == nil, "\(other)")
        }
    }
}
