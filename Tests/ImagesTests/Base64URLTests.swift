import Images
import Testing

@Suite struct Base64URLTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6f], "Zm8"), ([0x66, 0x6f, 0x6f], "Zm9v"),
            ([0xfb, 0xff, 0xbf], "-_-_"),
        ] as [([UInt8], String)])
    func `bytes are written in the letters that a URL takes, without padding`(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test func `each length reads back`() {
        for count in 0..<64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm+v", "Zm/v", "Zm 8", "Zm9v\n", "Zm9vA", "Ä", "\0\0"])
    func `what encode would not write is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
