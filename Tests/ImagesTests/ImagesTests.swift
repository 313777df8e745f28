import Images
import Testing

@Suite struct ImageIDTests {
    @Test(arguments: [0, 1, 31, 32, .max, 0x0123_4567_89ab_cdef] as [UInt64])
    func `an ID round-trips`(value: UInt64) {
        let id = ImageID(rawValue: value)
        #expect(id.description.utf8.count == 13)
        #expect(ImageID(id.description) == id)
    }

    @Test(arguments: ["", "0", "000000000000i", "00000000000000", "g000000000000", "000000000000A", "../../../../e"])
    func `any text but the canonical form is rejected`(text: String) {
        #expect(ImageID(text) == nil)
    }
}
