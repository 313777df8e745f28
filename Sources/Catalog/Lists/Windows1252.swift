/// The encoding of texts that spreadsheets write in Western Europe and America when they are not told to write Unicode.
enum Windows1252 {
    /// The characters of 0x80 to 0x9f. The five bytes without one are control characters, as in browsers (WHATWG
    /// Encoding Standard, index windows-1252).
    private static let upper = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)

    static func text(_ bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append((0x80...0x9f).contains(byte) ? upper[Int(byte) - 0x80] : Unicode.Scalar(byte)) }
        return String(text)
    }
}
