/// Texts of strangers, made fit to be kept, searched and shown on one line.
enum MetadataText {
    /// The text that `bytes` are in UTF-8, perhaps cut within a letter, or else in Latin 1, up to the first zero: without
    /// what cannot be printed and without blanks at its ends, cut after at most `limit` bytes of UTF-8; nil if nothing is
    /// left.
    static func text(_ bytes: some Collection<UInt8>, upTo limit: Int) -> String? {
        let bytes = bytes.prefix { $0 != 0 }
        if let text = String(validating: bytes, as: UTF8.self) ?? String(validating: whole(bytes), as: UTF8.self) {
            return Self.text(text.unicodeScalars, upTo: limit)
        }
        return text(bytes.lazy.map { Unicode.Scalar($0) }, upTo: limit)
    }

    /// The bytes without a letter of several bytes that is begun at their end.
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

    /// The same of UTF-16, its less significant byte first, as Windows writes it.
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
        // Blanks are kept once something follows them.
        var blanks = 0
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                blanks += kept.isEmpty ? 0 : 1
                continue
            // What joins letters and pictures, or keeps them apart, belongs to them.
            case .format where scalar != "\u{200c}" && scalar != "\u{200d}": continue
            case .surrogate: continue
            default: break
            }
            // What stands for what could not be read.
            if scalar == "\u{fffd}" { continue }
            guard length + blanks + UTF8.width(scalar) <= limit else { break }
            kept.append(contentsOf: repeatElement(" ", count: blanks))
            kept.append(scalar)
            length += blanks + UTF8.width(scalar)
            blanks = 0
        }
        return kept.isEmpty ? nil : String(kept)
    }

    /// Adds a keyword unless it is there, or there are as many as may be.
    static func add(_ keyword: String?, to keywords: inout [String], limit: Int) {
        guard let keyword, keywords.count < limit, !keywords.contains(keyword) else { return }
        keywords.append(keyword)
    }
}
