import Renditions
import Testing

@testable import Decoding

@Suite struct ICCProfileTests {
    /// A profile that contains only a name.
    private func profile(named name: String, space: String = "RGB ") -> [UInt8] {
        Sample.profile(space: space, tags: [("desc", Array("desc\0\0\0\0".utf8) + Array(name.utf8))])
    }

    @Test func `a profile named sRGB needs no conversion`() {
        #expect(ICCProfile(profile(named: "sRGB IEC61966-2.1"))?.isStandardRGB == true)
        #expect(ICCProfile(profile(named: "Display P3"))?.isStandardRGB == false)
        #expect(ICCProfile(profile(named: "sRGB linear"))?.isStandardRGB == false)
        #expect(ICCProfile(profile(named: "sRGB", space: "CMYK"))?.isStandardRGB == false)
    }

    @Test func `a profile is applied with the first intent that it has tables or curves for`() {
        func intent(_ tags: String...) -> ICCProfile.Intent? {
            ICCProfile(Sample.profile(space: "RGB ", tags: tags.map { ($0, [0]) }))?.intent
        }
        #expect(intent("rXYZ", "rTRC") == .relative && intent("kTRC") == .relative)
        #expect(intent("A2B0") == .perceptual && intent("A2B0", "A2B1") == .relative && intent("A2B2") == .saturation)
        #expect(intent("desc", "B2A0", "rXYZ") == nil)
    }

    @Test func `a truncated or corrupted profile is not sRGB and causes no crash`() {
        let whole = profile(named: "sRGB")
        for length in 0..<whole.count { #expect(ICCProfile(Array(whole.prefix(length)))?.isStandardRGB != true) }
        var lying = whole
        lying.replaceSubrange(136..<144, with: Array(repeating: 0xff, count: 8))
        #expect(ICCProfile(lying)?.isStandardRGB == false)
        #expect(ICCProfile(Array(repeating: 0, count: 200)) == nil)
    }
}
