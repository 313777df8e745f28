import Foundation
import TestSupport
import Testing

@testable import Encodings

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .boolean(true)), ("false", .boolean(false)), ("0", .integer(0)),
        ("-12", .integer(-12)), ("9007199254740991", .integer(9_007_199_254_740_991)), ("1.5", .number(1.5)),
        ("1e3", .number(1000)), ("-0.25E-1", .number(-0.025)), ("99999999999999999999", .number(1e20)),
        (#""""#, .text("")), (#""Grüße""#, .text("Grüße")),
        (#""a\"\\\/\b\f\n\r\té""#, .text("a\"\\/\u{8}\u{c}\n\r\té")),
        (#""😀!""#, .text("😀!")), ("[]", .list([])), ("[1, [2]]", .list([.integer(1), .list([.integer(2)])])),
        ("{}", .object([:])), (#"{"a":1,"b":{"c":null}}"#, .object(["a": .integer(1), "b": .object(["c": .null])])),
        (#"{"a":1,"a":2}"#, .object(["a": .integer(2)])),
    ])
    func `valid JSON is parsed`(text: String, value: JSONValue) {
        #expect(JSONValue(text) == value)
    }

    /// Hashing 30,000 combining marks in a row takes a second.
    @Test func `members with long or non-ASCII names are left out`() {
        let marks = String(repeating: "\u{323}\u{307}", count: 20_000)
        let long = String(repeating: "a", count: JSONValue.longestName)
        let text = "{\"a\":1,\"ä\":2,\"\(marks)\":3,\"\(long)\":4,\"\(long)a\":5,\"b\":{\"\(marks)\":6}}"
        #expect(JSONValue(text) == .object(["a": .integer(1), long: .integer(4), "b": .object([:])]))
        #expect(JSONValue("{\"\(marks)\":}") == nil)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "01", "-", "1.", ".5", "1e", "+1", "0x10", "NaN", "Infinity", "1 2", "[1,]", "[1", "{",
        #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "'a'", #"""#, #""\x""#, #""\u12""#, #""\ud83d""#, #""\ude00""#,
        #""\ud83dA""#, "\"a\nb\"", "]", "[1}", #"{"a":1]"#, "\u{feff}1",
    ])
    func `invalid JSON is rejected`(text: String) {
        #expect(JSONValue(text) == nil)
    }

    @Test func `nesting is limited`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(JSONValue(nested(JSONValue.maximumDepth)) != nil)
        #expect(JSONValue(nested(JSONValue.maximumDepth + 1)) == nil)
        #expect(JSONValue(String(repeating: "[", count: 60_000)) == nil)
        #expect(JSONValue(String(repeating: #"{"a":"#, count: 10_000)) == nil)
    }

    /// Foundation and this parser accept the same input.
    @Test func `the parser accepts the same texts as Foundation`() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "1", "-", ".5", "e3", "true", "null", "\\u00e9", "\\", " ",
            "\"type\"",
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<4_000 {
            let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let reference = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            #expect((JSONValue(text) != nil) == (reference != nil), "\(text)")
        }
    }
}
