/// Writes values in DER (ITU-T X.690 §8 and §10), as far as keys and signatures need it.
enum DER {
    static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }

    /// An unsigned big-endian integer. Leading zeros are left out (§8.3.2).
    static func integer(_ number: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        let isNegative = digits.first.map { $0 >= 0x80 } ?? true
        return value(0x02, (isNegative ? [0] : []) + digits)
    }

    /// Whole bytes as a bit string.
    static func bits(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
