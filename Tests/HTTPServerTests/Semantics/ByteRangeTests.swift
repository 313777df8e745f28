import HTTPServer
import Testing

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, 10, .whole), ("bytes=0-4", 10, .part(0..<5)), ("bytes=5-", 10, .part(5..<10)),
            ("bytes=-3", 10, .part(7..<10)), ("bytes=-30", 10, .part(0..<10)), ("bytes=9-9", 10, .part(9..<10)),
            ("bytes=0-99", 10, .part(0..<10)), ("BYTES=1-2", 10, .part(1..<3)),
            ("bytes=0-99999999999999999999999", 10, .part(0..<10)),
            ("bytes=10-", 10, .unsatisfiable), ("bytes=-0", 10, .unsatisfiable), ("bytes=0-", 0, .unsatisfiable),
            ("bytes=-5", 0, .unsatisfiable), ("bytes=99999999999999999999999-", 10, .unsatisfiable),
            ("bytes=0-1,3-4", 10, .whole), ("bytes=5-4", 10, .whole), ("bytes=-", 10, .whole), ("bytes=", 10, .whole),
            ("bytes=a-b", 10, .whole), ("bytes=+1-2", 10, .whole), ("bytes=1--2", 10, .whole),
            ("lines=0-4", 10, .whole),
            ("bytes", 10, .whole), ("", 10, .whole), ("bytes= 0-4", 10, .whole),
        ] as [(String?, Int64, ByteRange)])
    func `ranges are parsed as RFC 9110 specifies`(field: String?, length: Int64, range: ByteRange) {
        #expect(ByteRange(field, length: length) == range)
    }
}
