import Images
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct ImageIDCipherTests {
    private let cipher = ImageIDCipher(key: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210))

    @Test func `a sealed id opens to the id that it was sealed from`() {
        var random = SeededRandom(seed: 3)
        let ids = [0, 1, .max, 1 << 32] + (0..<10_000).map { _ in random.next() as UInt64 }
        for id in ids.map(ImageID.init(rawValue:)) {
            #expect(cipher.open(cipher.seal(id)) == id)
            #expect(cipher.seal(cipher.open(SealedImageID(rawValue: id.rawValue))).rawValue == id.rawValue)
        }
    }

    @Test func `no two ids are sealed alike, and similar ones do not look alike`() {
        let sealed = (0..<100_000).map { cipher.seal(ImageID(rawValue: $0)).rawValue }
        #expect(Set(sealed).count == sealed.count)
        // Each bit of neighbours differs in about half of the cases.
        for bit in 0..<64 {
            let changes = zip(sealed, sealed.dropFirst()).count { ($0 ^ $1) >> bit & 1 == 1 }
            #expect(abs(changes - 50_000) < 1_000, "bit \(bit)")
        }
    }

    @Test func `another key seals differently`() {
        let other = ImageIDCipher(key: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3211))
        let same = (0..<1_000).count { cipher.seal(ImageID(rawValue: $0)) == other.seal(ImageID(rawValue: $0)) }
        #expect(same == 0)
        #expect(ImageIDCipher.none.seal(ImageID(rawValue: 7)).rawValue == 7)
    }
}
