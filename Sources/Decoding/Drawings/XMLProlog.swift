/// The beginning of an XML document (XML 1.0, 2.8) in an encoding that agrees with ASCII: what precedes the root, and
/// the root's start tag.
struct XMLProlog: Equatable {
    /// The end of the byte order mark and the XML declaration.
    let declarationEnd: Int
    /// The root's name without its prefix.
    let rootName: String
    /// The root's start tag between its name and its closing bracket or slash.
    let rootAttributes: Range<Int>

    /// Nil if the document is malformed, or ends before the end of the root's start tag.
    init?(_ text: ArraySlice<UInt8>) {
        var scanner = Scanner(text)
        _ = scanner.take("\u{feff}")
        if scanner.isAt("<?xml"), !scanner.skip(past: "?>") { return nil }
        declarationEnd = scanner.position
        while true {
            scanner.skipSpace()
            if scanner.isAt("<?") {
                guard scanner.skip(past: "?>") else { return nil }
            } else if scanner.isAt("<!--") {
                guard scanner.skipComment() else { return nil }
            } else if scanner.isAt("<!DOCTYPE") {
                guard scanner.skipDoctype() else { return nil }
            } else {
                break
            }
        }
        guard scanner.take("<"), let name = scanner.name(),
            let localName = name.split(separator: UInt8(ascii: ":")).last
        else { return nil }
        rootName = String(decoding: localName, as: UTF8.self)
        let start = scanner.position
        guard scanner.skipAttributes() else { return nil }
        rootAttributes = start..<scanner.position
    }

    private struct Scanner {
        private let text: ArraySlice<UInt8>
        private(set) var position: Int

        init(_ text: ArraySlice<UInt8>) {
            self.text = text
            position = text.startIndex
        }

        private var byte: UInt8? { position < text.endIndex ? text[position] : nil }

        func isAt(_ word: String) -> Bool { text[position...].starts(with: word.utf8) }

        mutating func take(_ word: String) -> Bool {
            guard isAt(word) else { return false }
            position += word.utf8.count
            return true
        }

        mutating func skipSpace() {
            while let byte, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
        }

        /// False if the word does not come.
        mutating func skip(past word: String) -> Bool {
            while position < text.endIndex {
                if take(word) { return true }
                position += 1
            }
            return false
        }

        mutating func skipComment() -> Bool { take("<!--") && skip(past: "-->") }

        /// A quoted literal.
        private mutating func skipQuoted(_ quote: UInt8) -> Bool {
            position += 1
            while let byte {
                position += 1
                if byte == quote { return true }
            }
            return false
        }

        /// A document type declaration with its internal subset, in which there are further declarations.
        mutating func skipDoctype() -> Bool {
            var isInSubset = false
            while let byte {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard skipQuoted(byte) else { return false }
                    continue
                case UInt8(ascii: "<") where isAt("<!--"):
                    guard skipComment() else { return false }
                    continue
                case UInt8(ascii: "<") where isAt("<?"):
                    guard skip(past: "?>") else { return false }
                    continue
                case UInt8(ascii: "["): isInSubset = true
                case UInt8(ascii: "]"): isInSubset = false
                case UInt8(ascii: ">") where !isInSubset:
                    position += 1
                    return true
                default: break
                }
                position += 1
            }
            return false
        }

        mutating func name() -> ArraySlice<UInt8>? {
            let start = position
            while let byte, byte > 0x20, ![UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "<")].contains(byte) {
                position += 1
            }
            return position > start ? text[start..<position] : nil
        }

        /// Up to the bracket or slash that closes the tag.
        mutating func skipAttributes() -> Bool {
            while let byte {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard skipQuoted(byte) else { return false }
                case UInt8(ascii: "/"), UInt8(ascii: ">"): return true
                case UInt8(ascii: "<"): return false
                default: position += 1
                }
            }
            return false
        }
    }
}
