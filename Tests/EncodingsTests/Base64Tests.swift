import Encodings
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 §10, and the letters in which the alphabets differ.
    @Test(
        arguments: [
            ([], "", ""), ([0x66], "Zg==", "Zg"), ([0x66, 0x6f], "Zm8=", "Zm8"), ([0x66, 0x6f, 0x6f], "Zm9v", "Zm9v"),
            ([0x66, 0x6f, 0x6f, 0x62], "Zm9vYg==", "Zm9vYg"), ([0xfb, 0xff, 0xbf], "+/+/", "-_-_"),
        ] as [([UInt8], String, String)])
    func `bytes are encoded and decoded in either alphabet`(bytes: [UInt8], standard: String, url: String) {
        #expect(Base64.standard.encode(bytes) == standard && Base64.standard.decode(standard) == bytes)
        #expect(Base64.url.encode(bytes) == url && Base64.url.decode(url) == bytes)
    }

    @Test func `every length round-trips`() {
        for count in 0..<64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            for base64 in [Base64.standard, .url] { #expect(base64.decode(base64.encode(bytes)) == bytes) }
        }
    }

    @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm+v", "Zm/v", "Zm 8", "Zm9v\n", "Zm9vA", "Ä", "\0\0"])
    func `text that the URL encoder would not produce is rejected`(text: String) {
        #expect(Base64.url.decode(text) == nil)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "==", "====", "Zm-v", "Zm_v", "Zg==Zg==", "Zm9v\n",
    ])
    func `text that the standard encoder would not produce is rejected`(text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }
}
