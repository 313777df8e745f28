/// Percent-encoding (RFC 3986 §2.1).
public enum PercentEncoding {
    /// Whether a byte means the same with and without encoding (RFC 3986 §2.3): letters, digits and `- . _ ~`.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The same for a whole path, in which slashes separate the segments.
    public static func isPlainInPath(_ byte: UInt8) -> Bool { isUnreserved(byte) || byte == UInt8(ascii: "/") }

    /// Encodes bytes, with digits in upper case.
    ///
    /// - Parameter isPlain: Whether a byte is left as it is.
    public static func encode(
        _ bytes: some Sequence<UInt8>, keeping isPlain: (UInt8) -> Bool = PercentEncoding.isUnreserved
    ) -> String {
        let digits: StaticString = "0123456789ABCDEF"
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits.utf8Start[Int(byte >> 4)], digits.utf8Start[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` encodes; nil if an escape is cut off or is not hexadecimal.
    ///
    /// - Parameter plusIsSpace: Whether `+` stands for a space, as in a query from an HTML form.
    @inlinable
    public static func bytes(of text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(Hexadecimal.digit),
                    let low = rest.next().flatMap(Hexadecimal.digit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The text that `text` encodes; nil also if it is not UTF-8 or contains a NUL.
    @inlinable
    public static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        // Most texts contain no escapes.
        guard text.contains(where: { $0 == UInt8(ascii: "%") || ($0 == UInt8(ascii: "+") && plusIsSpace) }) else {
            return String(validating: text, as: UTF8.self)
        }
        guard let bytes = bytes(of: text, plusIsSpace: plusIsSpace), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
