extension XMLReader {
    /// Text with its entities put in.
    static func resolved(_ text: [UInt8]) throws(Fault) -> [UInt8] {
        var resolved: [UInt8] = []
        var position = 0
        while position < text.count {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "&") else {
                resolved.append(byte)
                continue
            }
            guard let end = text[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
                throw Fault(reason: "an ampersand that begins no entity")
            }
            resolved += try entity(text[position..<end])
            position = end + 1
        }
        return resolved
    }

    private static func entity(_ name: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        case let text where text.hasPrefix("#x"): return try scalar(text.dropFirst(2), radix: 16)
        case let text where text.hasPrefix("#"): return try scalar(text.dropFirst(), radix: 10)
        default: throw Fault(reason: "an entity that nobody knows")
        }
    }

    private static func scalar(_ digits: Substring, radix: Int) throws(Fault) -> [UInt8] {
        guard digits.first?.isHexDigit == true, let value = UInt32(digits, radix: radix), value != 0,
            let scalar = Unicode.Scalar(value)
        else { throw Fault(reason: "a number that is no character") }
        return Array(String(scalar).utf8)
    }
}
