import Foundation
import Images
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) throws -> Any {
        var writer = JSONWriter()
        write(&writer)
        return try JSONSerialization.jsonObject(with: Data(writer.bytes), options: .fragmentsAllowed)
    }

    @Test func `objects, lists and values are nested as they are written`() throws {
        var writer = JSONWriter()
        writer.object { json in
            json.member("empty") { $0.object { _ in } }
            json.member("none") { json in json.list([Int]()) { $0.value($1) } }
            json.member("absent", nil as String?)
            json.member("rows") { json in
                json.list([1, 2]) { json, number in json.object { $0.member("n", number) } }
            }
            json.member("flag", true)
            json.member("far", 2.5)
            json.member("nothing") { $0.null() }
            json.member("endless", Double.infinity)
        }
        let expected =
            #"{"empty":{},"none":[],"rows":[{"n":1},{"n":2}],"flag":true,"far":2.5,"nothing":null,"endless":null}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [0, 7, -7, 10, 1_000_000, Int.max, Int.min])
    func `numbers are themselves`(_ number: Int) throws {
        #expect(try written { $0.value(number) } as? Int == number)
        #expect(try written { $0.value(Double(number)) } as? Double == Double(number))
    }

    @Test func `any text comes back as it was, and stands on one line`() throws {
        var random = SeededRandom(seed: 11)
        var texts = ["", "\"", "\\", "a\"b\\c/d", "\r\n\t", "e\u{301} 写真 👩‍👩‍👧 \u{2028}", "</script>"]
        texts.append(String(String.UnicodeScalarView((0..<0x30).compactMap { Unicode.Scalar(UInt8($0)) })))
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 1...20, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x17F, using: &random))
            }
            texts.append(String(String.UnicodeScalarView(scalars)))
        }
        for text in texts {
            var writer = JSONWriter()
            writer.value(text)
            #expect(!writer.bytes.contains { $0 < 0x20 })
            let read = try JSONSerialization.jsonObject(with: Data(writer.bytes), options: .fragmentsAllowed) as? String
            #expect(read.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test func `bytes are told in base64, whatever their number`() throws {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ count) }
            #expect(try written { $0.value(base64: bytes) } as? String == Data(bytes).base64EncodedString())
        }
        #expect(try written { $0.value(base64: [0xfb, 0xff, 0xfe]) } as? String == "+//+")
    }

    @Test func `ids, versions and links are spelled as they are in words`() throws {
        for raw in [0, 1, UInt64.max, 0x0123_4567_89ab_cdef] {
            let (id, version) = (ImageID(rawValue: raw), ContentVersion(rawValue: raw))
            #expect(try written { $0.value { id.append(to: &$0) } } as? String == id.description)
            #expect(try written { $0.value { version.append(to: &$0) } } as? String == version.description)
            let unversioned = try written { $0.value { RenditionPath.append("tile", of: id, nil, to: &$0) } }
            #expect(unversioned as? String == "/images/\(id)/tile")
            let versioned = try written { $0.value { RenditionPath.append("tile", of: id, version, to: &$0) } }
            #expect(versioned as? String == "/images/\(id)/tile?v=\(version)")
        }
    }
}
