import Hashing
import Testing

@Suite struct SipHashTests {
    /// From the reference implementation's `vectors_sip64`: key 00…0f, message 00, 01, 02, …
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
            (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)]) func `the hash is SipHash-2-4`(length: Int, expected: UInt64)
    {
        var hasher = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        hasher.update((0..<length).map { UInt8($0) })
        #expect(hasher.finish() == expected)
    }

    @Test func `a word is hashed like its bytes`() {
        var (words, bytes) = (SipHash(key: (1, 2)), SipHash(key: (1, 2)))
        for word in [0x0123_4567_89ab_cdef, UInt64.max] {
            words.update(word)
            bytes.update((0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) })
        }
        #expect(words.finish() == bytes.finish())
    }
}
