import Testing

@testable import HTTPServer

@Suite struct AcceptEncodingTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzip;q=0.001", true), ("*", true), ("*;q=0", false),
            ("gzip;q=0, *", false), ("identity", false), ("br", false), ("xgzip", false), (",,;;=,", false),
        ] as [(String?, Bool)])
    func `a coding is used only where it is welcome`(field: String?, isAllowed: Bool) {
        #expect(AcceptEncoding.allows("gzip", in: field) == isAllowed)
    }
}
