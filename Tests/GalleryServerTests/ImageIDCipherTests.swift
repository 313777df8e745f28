import Images
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct ImageIDCipherTests {
    private let cipher = ImageIDCipher(key: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210))

    @Test func `a public id is decrypted to the id that it was made from`() {
        var random = SeededRandom(seed: 3)
        let ids = [0, 1, .max, 1 << 32] + (0..<10_000).map { _ in random.next() as UInt64 }
        for id in ids.map(ImageID.init(rawValue:)) {
            #expect(cipher.decrypt(cipher.encrypt(id)) == id)
            #expect(cipher.encrypt(cipher.decrypt(PublicImageID(rawValue: id.rawValue))).rawValue == id.rawValue)
        }
    }

    @Test func `no two public ids are alike, and similar ones do not look alike`() {
        let encrypted = (0..<100_000).map { cipher.encrypt(ImageID(rawValue: $0)).rawValue }
        #expect(Set(encrypted).count == encrypted.count)
        // Each bit of neighbours differs in about half of the cases.
        for bit in 0..<64 {
            let changes = zip(encrypted, encrypted.dropFirst()).count { ($0 ^ $1) >> bit & 1 == 1 }
            #expect(abs(changes - 50_000) < 1_000, "bit \(bit)")
        }
    }

    @Test func `another key gives other ids`() {
        let other = ImageIDCipher(key: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3211))
        let same = (0..<1_000).count { cipher.encrypt(ImageID(rawValue: $0)) == other.encrypt(ImageID(rawValue: $0)) }
        #expect(same == 0)
        #expect(ImageIDCipher.none.encrypt(ImageID(rawValue: 7)).rawValue == 7)
    }
}
