import Encodings
import Hashing
import Testing

/// NIST's examples for FIPS 180-4, and the empty message.
private let messages: [(text: String, repetitions: Int)] = [
    ("", 1),
    ("abc", 1),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1),
    ("a", 1_000_000),
]

@Suite struct HashingTests {
    @Test(
        arguments: zip(
            messages,
            [
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ]))
    func `SHA-256 produces the digests of the standard's examples`(message: (String, Int), digest: String) {
        let bytes = Array(String(repeating: message.0, count: message.1).utf8)
        #expect(Hexadecimal.text(of: SHA256.hash(bytes)) == digest)
    }

    @Test(
        arguments: zip(
            messages,
            [
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
                "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            ]))
    func `SHA-1 produces the digests of the standard's examples`(message: (String, Int), digest: String) {
        let bytes = Array(String(repeating: message.0, count: message.1).utf8)
        #expect(Hexadecimal.text(of: SHA1.hash(bytes)) == digest)
    }
}
