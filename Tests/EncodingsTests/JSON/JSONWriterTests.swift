import Foundation
import TestSupport
import Testing

@testable import Encodings

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
            json.member(named: "a\"b", [1, 2])
        }
        let expected =
            #"{"empty":{},"none":[],"rows":[{"n":1},{"n":2}],"flag":true,"far":2.5,"nothing":null,"endless":null,"a\"b":[1,2]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [0, 7, -7, 10, 1_000_000, Int.max, Int.min])
    func `numbers round-trip unchanged`(_ number: Int) throws {
        #expect(try written { $0.value(number) } as? Int == number)
        #expect(try written { $0.value(Double(number)) } as? Double == Double(number))
    }

    @Test func `any text round-trips unchanged and is written on one line`() throws {
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
}
