/// References to characters and entities in the text of an XML document (XML 1.0 §4.1): characters by number, and the
/// five names that need no declaration.
public enum XMLReferences {
    /// The text with its references resolved. Unknown references stay as written.
    public static func resolved(in text: ArraySlice<UInt8>) -> [UInt8] { resolve(text).text }

    /// - Returns: The resolved text, and whether each ampersand began a known reference.
    static func resolve(_ text: ArraySlice<UInt8>) -> (text: [UInt8], isValid: Bool) {
        guard text.contains(UInt8(ascii: "&")) else { return (Array(text), true) }
        var (resolved, isValid) = ([UInt8](), true)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "&") else {
                resolved.append(byte)
                continue
            }
            let name = text[position...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
            if text[name.endIndex...].first == UInt8(ascii: ";"), let character = character(name) {
                resolved += String(character).utf8
                position = name.endIndex + 1
            } else {
                resolved.append(byte)
                isValid = false
            }
        }
        return (resolved, isValid)
    }

    private static func character(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case let text where text.hasPrefix("#x"): scalar(text.dropFirst(2), radix: 16)
        case let text where text.hasPrefix("#"): scalar(text.dropFirst(), radix: 10)
        default: nil
        }
    }

    private static func scalar(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        guard digits.first?.isHexDigit == true, let value = UInt32(digits, radix: radix), value != 0 else { return nil }
        return Unicode.Scalar(value)
    }
}
