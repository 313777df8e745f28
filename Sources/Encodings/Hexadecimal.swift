/// Base 16 (RFC 4648 §8).
public enum Hexadecimal {
    /// Two digits for each byte, in lower case.
    public static func text(of bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The value of a digit, in upper or lower case; nil for any other byte.
    @inlinable @inline(__always)
    public static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
