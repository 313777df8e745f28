import Testing

@testable import Catalog

@Suite struct PrintableNameTests {
    @Test(arguments: ["a\nb", "a\u{1b}b", "a\u{85}b", "a\u{2028}b", "a\u{202e}b", "a\u{2066}b", "a\u{10fff0}b"])
    func `control and formatting characters in a name are replaced`(name: String) {
        #expect(FilePath.printable(name) == "a\u{fffd}b")
        #expect(FilePath.printable("שלום, 世界 👩‍👩‍👧.png") == "שלום, 世界 👩‍👩‍👧.png")
    }

    @Test func `a name with formatting characters stays percent-encoded as in its URL`() {
        #expect(WebAddress.name(of: "http://a.test/%E2%80%AEgnp.exe") == "%E2%80%AEgnp.exe")
        #expect(WebAddress.name(of: "http://a.test/%C3%A9t%C3%A9.png") == "été.png")
    }
}
