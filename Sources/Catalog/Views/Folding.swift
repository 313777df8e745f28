@_spi(_Unicode) import Swift

/// Normalises texts for searching: without case and accents, in any script.
enum Folding {
    /// The UTF-8 of the text's lower case in canonical decomposition (NFD), without non-spacing marks. Empty if the
    /// text contains nothing else.
    static func fold(_ text: String) -> [UInt8] {
        var text = text
        let isASCII = text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
        if isASCII {
            return text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.lowercased()._nfd {
            if scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark { continue }
            // Letters that people treat as equal, and Unicode decomposition does not.
            switch scalar {
            case "ß": folded.append(contentsOf: "ss".utf8)
            case "æ": folded.append(contentsOf: "ae".utf8)
            case "œ": folded.append(contentsOf: "oe".utf8)
            case "ø": folded.append(contentsOf: "o".utf8)
            case "đ": folded.append(contentsOf: "d".utf8)
            case "ł": folded.append(contentsOf: "l".utf8)
            case "ı": folded.append(contentsOf: "i".utf8)
            case "ς": folded.append(contentsOf: "σ".utf8)
            default: folded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return folded
    }
}
