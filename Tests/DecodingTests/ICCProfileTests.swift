import Renditions
import Testing

@testable import Decoding

@Suite struct ICCProfileTests {
    /// A profile with nothing in it but its name.
    private func profile(named name: String, space: String = "RGB ") -> [UInt8] {
        let text = Array("desc\0\0\0\0".utf8) + Array(name.utf8)
        return Array(repeating: 0, count: 16) + Array(space.utf8) + Array(repeating: 0, count: 108)
            + Sample.big32(1) + Array("desc".utf8) + Sample.big32(144) + Sample.big32(UInt32(text.count)) + text
    }

    @Test func `what calls itself sRGB needs no conversion`() {
        #expect(ICCProfile.isStandardRGB(profile(named: "sRGB IEC61966-2.1")))
        #expect(!ICCProfile.isStandardRGB(profile(named: "Display P3")))
        #expect(!ICCProfile.isStandardRGB(profile(named: "sRGB linear")))
        #expect(!ICCProfile.isStandardRGB(profile(named: "sRGB", space: "CMYK")))
    }

    @Test func `a profile cut anywhere is no sRGB and no crash`() {
        let whole = profile(named: "sRGB")
        for length in 0..<whole.count { #expect(!ICCProfile.isStandardRGB(Array(whole.prefix(length)))) }
        var lying = whole
        lying.replaceSubrange(136..<144, with: Array(repeating: 0xff, count: 8))
        #expect(!ICCProfile.isStandardRGB(lying))
    }
}
