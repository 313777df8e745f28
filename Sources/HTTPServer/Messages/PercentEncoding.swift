/// Percent-encoding (RFC 3986 §2.1).
enum PercentEncoding {
    /// The text that `bytes` stand for; nil if an escape is cut or is not hexadecimal, or if the result is not UTF-8
    /// or holds a NUL. With `plusIsSpace`, as in a query made by an HTML form, `+` stands for a space.
    static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        // Most have no escape at all.
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || ($0 == UInt8(ascii: "+") && plusIsSpace) }) else {
            return String(validating: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(ASCII.hexDigit), let low = rest.next().flatMap(ASCII.hexDigit),
                    high | low != 0
                else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(ASCII.space)
            default:
                decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
