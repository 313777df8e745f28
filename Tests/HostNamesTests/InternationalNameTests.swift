import Testing

@testable import HostNames

@Suite struct InternationalNameTests {
    @Test(arguments: [
        ("bücher.test", "xn--bcher-kva.test"), ("BÜCHER.test", "xn--bcher-kva.test"), ("faß.de", "xn--fa-hia.de"),
        ("bu\u{308}cher.test", "xn--bcher-kva.test"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("bücher。test", "xn--bcher-kva.test"), ("a_b.bücher", "a_b.xn--bcher-kva"), ("plain.test", "plain.test"),
    ])
    func `a name beyond ASCII becomes the name that DNS knows`(name: String, ascii: String) {
        #expect(InternationalName.ascii(name.utf8) == ascii)
    }

    @Test func `full-width digits are the address that they look like, so that the address filter sees it`() {
        #expect(InternationalName.ascii("１２７．０．０．１".utf8) == "127.0.0.1")
    }

    @Test(arguments: [
        "", "a／b.test", "ü＠b.test", "ü：80", "ü？.test", "ü#.test", "ü%41.test", "\u{202e}ü.test", "b\u{200d}ü.test",
        "ü\0.test", String(repeating: "ü", count: 100), "ü b.test",
    ])
    func `a name that would change the URL around it is refused`(name: String) {
        #expect(InternationalName.ascii(name.utf8) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(InternationalName.ascii([0x62, 0xfc, 0x2e, 0x74]) == nil)
    }
}
