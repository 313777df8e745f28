/// libjpeg's warnings (jerror.h) about pictures that it can decode.
enum JPEGWarning {
    /// What it says only of damaged data: a decoder that has lost its place finds codes that do not exist, and too much
    /// or too little data before a marker.
    private static let damage = [
        "bad Huffman code", "bad arithmetic code", "premature end of data segment", "instead of RST",
    ]
    /// Some cameras put a few bytes of padding before the end.
    private static let maximumPadding = 31

    /// Whether parts of the picture look other than they did. Not all damage is found: most wrong bytes are codes of
    /// other pixels.
    static func tellsOfDamage(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "Corrupt JPEG data: ") else { return false }
        let what = text[start.upperBound...]
        if damage.contains(where: { what.firstRange(of: $0) != nil }) { return true }
        // "61 extraneous bytes before marker 0xd9": restarts and the end are within the data.
        guard let count = Int(what.prefix { $0.isNumber }), count > maximumPadding,
            let marker = what.firstRange(of: "extraneous bytes before marker 0xd")
        else { return false }
        return what[marker.upperBound...].first.map { "0"..."9" ~= $0 } ?? false
    }
}

extension StringProtocol {
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
