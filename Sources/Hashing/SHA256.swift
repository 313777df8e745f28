/// SHA-256 (FIPS 180-4 §6.2).
public enum SHA256 {
    private static let function = MessageDigest("SHA256", byteCount: 32)

    /// The 32 bytes of the digest of `data`.
    public static func hash(_ data: [UInt8]) -> [UInt8] { function(data) }
}
