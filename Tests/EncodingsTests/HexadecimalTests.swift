import Encodings
import Testing

@Suite struct HexadecimalTests {
    @Test func `hexadecimal digits are in lower case, two for each byte`() {
        #expect(Hexadecimal.text(of: [0x00, 0x0f, 0xa0, 0xff]) == "000fa0ff")
        #expect(Hexadecimal.text(of: []) == "")
    }
}
