import Testing

@testable import Origins

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the three forms of one moment are the same`(_ text: String) {
        #expect(HTTPDate.parse(text) == 784_111_777)
    }

    @Test func `leap days and far years are counted right`() {
        #expect(HTTPDate.parse("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
        #expect(HTTPDate.parse("Fri, 01 Jan 2100 00:00:00 GMT") == 4_102_444_800)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "a b c d e f", "1 2 3 4 5 GMT",
    ])
    func `what is no date is nil`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
