import Encodings
import Hashing

extension EntityTag {
    /// The strong tag of these bytes, the same whenever and wherever they are produced.
    ///
    /// - Parameter coding: The coding in which they are sent, which produces different bytes (RFC 9110 §8.8.3.3).
    init(digestOf bytes: [UInt8], coding: String? = nil) {
        let digest = Hexadecimal.text(of: SHA256.hash(bytes).prefix(16))
        self.init(unchecked: coding.map { "\(digest)-\($0)" } ?? digest)
    }
}
