/// Makes untrusted texts fit to be stored, searched and displayed on one line.
enum MetadataText {
    /// The text of `bytes` up to the first zero, decoded as UTF-8 (possibly truncated within a character), or else as
    /// Latin 1. Removes unprintable characters, and blanks at both ends. Truncates the text to at most `limit` bytes of
    /// UTF-8. Nil if nothing is left.
    static func text(_ bytes: some Collection<UInt8>, upTo limit: Int) -> String? {
        let bytes = bytes.prefix { $0 != 0 }
        if let text = String(validating: bytes, as: UTF8.self) ?? String(validating: whole(bytes), as: UTF8.self) {
            return Self.text(text.unicodeScalars, upTo: limit)
        }
        return text(bytes.lazy.map { Unicode.Scalar($0) }, upTo: limit)
    }

    /// The bytes without an incomplete multi-byte character at their end.
    private static func whole(_ bytes: some Collection<UInt8>) -> ArraySlice<UInt8> {
        var bytes = Array(bytes)[...]
        var following = 0
        while following < 3, let last = bytes.last, last & 0xc0 == 0x80 {
            bytes.removeLast()
            following += 1
        }
        if let last = bytes.last, last >= 0xc0 { bytes.removeLast() }
        return bytes
    }

    /// The same for little-endian UTF-16, as Windows writes it.
    static func wideText(_ bytes: ArraySlice<UInt8>, upTo limit: Int) -> String? {
        var units: [UInt16] = []
        var position = bytes.startIndex
        while position + 1 < bytes.endIndex, units.count <= limit {
            let unit = UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8
            if unit == 0 { break }
            units.append(unit)
            position += 2
        }
        return text(String(decoding: units, as: UTF16.self).unicodeScalars, upTo: limit)
    }

    static func text(_ scalars: some Sequence<Unicode.Scalar>, upTo limit: Int) -> String? {
        var kept = String.UnicodeScalarView()
        var length = 0
        // Blanks are appended only once something follows them.
        var blanks = 0
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                blanks += kept.isEmpty ? 0 : 1
                continue
            // Joiners and non-joiners belong to the characters around them.
            case .format where scalar != "\u{200c}" && scalar != "\u{200d}": continue
            case .surrogate: continue
            default: break
            }
            // The replacement character marks what could not be decoded.
            if scalar == "\u{fffd}" { continue }
            guard length + blanks + UTF8.width(scalar) <= limit else { break }
            kept.append(contentsOf: repeatElement(" ", count: blanks))
            kept.append(scalar)
            length += blanks + UTF8.width(scalar)
            blanks = 0
        }
        return kept.isEmpty ? nil : String(kept)
    }

    /// Adds a keyword, unless it is a duplicate or the limit is reached.
    static func add(_ keyword: String?, to keywords: inout [String], limit: Int) {
        guard let keyword, keywords.count < limit, !keywords.contains(keyword) else { return }
        keywords.append(keyword)
    }
}
