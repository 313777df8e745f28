import Testing

@testable import HTTPServer

@Suite struct AcceptEncodingTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzip;q=0.001", true), ("*", true), ("*;q=0", false),
            ("gzip;q=0, *", false), ("identity", false), ("br", false), ("xgzip", false), (",,;;=,", false),
            ("gzip;q=0.5, identity;q=1", false), ("gzip;q=0.5, identity;q=0.5", true), ("gzip, identity;q=0.5", true),
            ("identity;q=0.9, *;q=0.1", false), ("gzip;q=0.5, *", false), ("identity;q=0, *;q=0.1", true),
            ("x-gzip", true), ("X-GZIP;Q=0.5", true), ("x-gzip;q=0", false), ("gzip ; q=0.8", true),
            ("gzip;q=2", false), ("gzip;q=", false), ("gzip;q=0.0001", false), ("gzip;q=1.000", true),
        ] as [(String?, Bool)])
    func `a coding is used only if its quality is at least that of identity`(field: String?, isAllowed: Bool) {
        #expect((AcceptEncoding.best(of: ["gzip"], in: field) != nil) == isAllowed)
    }

    @Test(
        arguments: [
            ("gzip, deflate, br", "br"), ("gzip, br;q=0.9", "gzip"), ("gzip;q=0.5, br;q=0.5", "br"), ("gzip", "gzip"),
            ("*", "br"), ("br;q=0, *", "gzip"), ("br;q=0.5, identity", nil), ("deflate", nil), (nil, nil),
        ] as [(String?, String?)])
    func `the coding with the highest quality is chosen, and the first among equals`(field: String?, best: String?) {
        #expect(AcceptEncoding.best(of: ["br", "gzip"], in: field) == best)
    }
}
