import Crypto

extension EntityTag {
    /// The strong name of these bytes, wherever and whenever they are made.
    ///
    /// - Parameter coding: The coding that they are sent in, which makes other bytes of them (RFC 9110 §8.8.3.3).
    init(digestOf bytes: [UInt8], coding: String? = nil) {
        let digest = SHA256.hash(data: bytes).prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        self.init(unchecked: coding.map { "\(digest)-\($0)" } ?? digest)
    }
}
