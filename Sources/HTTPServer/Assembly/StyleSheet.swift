/// A style sheet of CSS without its comments and without the white space at the beginning of lines.
enum StyleSheet {
    static func condensed(_ sheet: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(sheet.count)
        var rest = sheet[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
                rest = afterComment(rest.dropFirst(2))
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                let end = endOfString(rest)
                result += rest[..<end]
                rest = rest[end...]
            case 0x0A:
                if result.last != 0x0A { result.append(byte) }
                rest = rest.drop { $0 == 0x0A || $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            default:
                result.append(byte)
                rest.removeFirst()
            }
        }
        return result
    }

    private static func afterComment(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
            rest = rest[(star + 1)...]
            if rest.first == UInt8(ascii: "/") { return rest.dropFirst() }
        }
        return []
    }

    /// - Parameter text: Begins with a quote.
    private static func endOfString(_ text: ArraySlice<UInt8>) -> Int {
        var at = text.startIndex + 1
        while at < text.endIndex, text[at] != text.first {
            at += text[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(at + 1, text.endIndex)
    }
}
