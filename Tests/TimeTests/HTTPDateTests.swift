import Testing
import Time

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a date is formatted and parsed as in RFC 9110`(seconds: Int64, text: String) {
        #expect(HTTPDate(seconds: seconds).description == text)
        #expect(HTTPDate(text)?.seconds == seconds)
    }

    @Test(arguments: ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func `the obsolete forms are read`(text: String) {
        #expect(HTTPDate(text)?.seconds == 784_111_777)
    }

    @Test(arguments: [
        "", "0", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT", "- - - - - -",
        ", , , , , GMT",
    ])
    func `an invalid date is rejected`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `every day round-trips`() {
        for day in stride(from: -40_000 as Int64, to: 80_000, by: 7) {
            let date = HTTPDate(seconds: day * 86_400 + day % 86_400)
            #expect(HTTPDate(date.description) == date)
        }
        _ = HTTPDate(seconds: .max).description
        _ = HTTPDate(seconds: .min).description
    }
}
