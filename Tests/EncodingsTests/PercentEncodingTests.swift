import Encodings
import Testing

@Suite struct PercentEncodingTests {
    @Test func `every byte round-trips`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(PercentEncoding.bytes(of: PercentEncoding.encode(bytes).utf8) == bytes)
        #expect(PercentEncoding.bytes(of: PercentEncoding.encode(bytes) { $0 < 0x20 }.utf8) != nil)
    }

    @Test func `unreserved characters stay, and so do the slashes of a path`() {
        #expect(PercentEncoding.encode("a-b/ü~".utf8) == "a-b%2F%C3%BC~")
        #expect(PercentEncoding.encode("a b/ü~".utf8, keeping: PercentEncoding.isPlainInPath) == "a%20b/%C3%BC~")
    }

    @Test(arguments: [("%41b%c3%BC", "Abü"), ("a+b", "a+b"), ("", ""), ("%2525", "%25")])
    func `an escape decodes to its byte`(text: String, decoded: String) {
        #expect(PercentEncoding.decode(text.utf8) == decoded)
    }

    @Test func `a plus is a space only in a form`() {
        #expect(PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == "a b+")
        #expect(PercentEncoding.bytes(of: "a+b".utf8) == Array("a+b".utf8))
    }

    @Test(arguments: ["%", "%4", "a%", "%zz", "%+5", "%-1", "% 1"])
    func `a truncated or non-hexadecimal escape is rejected`(text: String) {
        #expect(PercentEncoding.bytes(of: text.utf8) == nil && PercentEncoding.decode(text.utf8) == nil)
    }

    @Test(arguments: ["%ff", "%c3", "%00", "a%00b"])
    func `text with invalid UTF-8 or NUL is rejected`(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == nil)
        #expect(PercentEncoding.bytes(of: text.utf8) != nil)
    }
}
