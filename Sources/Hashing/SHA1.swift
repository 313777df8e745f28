/// SHA-1 (FIPS 180-4 §6.1), for protocols that require it. Collisions are known, so no security may depend on it.
public enum SHA1 {
    private static let function = MessageDigest("SHA1", byteCount: 20)

    /// The 20 bytes of the digest of `data`.
    public static func hash(_ data: [UInt8]) -> [UInt8] { function(data) }
}
