import Testing

@testable import Encodings

@Suite struct JSONFieldTests {
    private func field(_ text: String) throws -> JSONField { try JSONField(text) }

    @Test func `values of the expected type are read`() throws {
        let json = try field(#"{"a":"x","b":true,"c":1.5,"d":7,"e":[1,2],"f":null}"#)
        #expect(try json["a"]?.text() == "x" && json.required("b").boolean())
        #expect(try json["c"]?.number() == 1.5 && json["d"]?.number() == 7)
        #expect(try json["e"]?.list { (one) throws(JSONFieldError) in try one.integer() } == [1, 2])
        #expect(try json["g"] == nil && json["f"] != nil && json["f"]?.unlessNull == nil)
    }

    @Test(arguments: [("7", 7), ("7.0", 7), ("70e-1", 7), ("-0", 0), ("9007199254740993", 9_007_199_254_740_993)])
    func `a whole number may be written with a fraction of zero`(text: String, number: Int) throws {
        #expect(try field(text).integer() == number)
    }

    @Test(arguments: ["0.5", "1e400", "-1e30", "\"1\"", "null", "true", "99999999999999999999"])
    func `any other value is no whole number`(text: String) {
        #expect(throws: JSONFieldError(field: "", rule: "must be a whole number")) { try field(text).integer() }
    }

    @Test func `an error says where the value is, and what it must be`() {
        let text = #"{"rows":[{"name":"a"},{"name":5},{}],"count":11}"#
        func error(_ read: (JSONField) throws -> Void) -> String? {
            do {
                try read(try field(text))
                return nil
            } catch {
                return "\(error)"
            }
        }
        func name(_ row: JSONField) throws(JSONFieldError) -> String { try row.required("name").text() }
        func word(_ row: JSONField) throws(JSONFieldError) -> String { try row.text() }
        #expect(error { _ = try $0["rows"]?.list(name) } == "rows[1].name must be text")
        #expect(error { _ = try $0["rows"]?.list(word) } == "rows[0] must be text")
        #expect(error { _ = try $0["rows"]?.list(atMost: 2, name) } == "rows must be a list of at most 2 members")
        #expect(error { _ = try $0["count"]?.integer(in: 0...10) } == "count must be a whole number from 0 to 10")
        #expect(error { _ = try $0["count"]?.number(in: 0...1) } == "count must be a number from 0.0 to 1.0")
        #expect(error { _ = try $0["count"]?["deeper"] } == "count must be an object")
        #expect(error { _ = try $0.required("total") } == "total is missing")
        #expect(error { _ = try $0["count"]?.boolean() } == "count must be true or false")
        #expect(error { _ = try $0.required("rows").text(longest: 1) } == "rows must be text")
        #expect(throws: JSONFieldError(field: "message", rule: "must be JSON")) { try JSONField("{", named: "message") }
        #expect(throws: JSONFieldError(field: "", rule: "must be JSON")) { try JSONField([0x22, 0xff, 0x22]) }
    }
}
