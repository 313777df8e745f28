/// Names of files as text. A Linux name is any bytes; most are UTF-8, and those are their own text. A byte that is not
/// part of UTF-8 is written as one scalar of the last private-use block (U+10FF00 + byte), and a name that itself has
/// such scalars has their bytes written so, too: every name has one text, and every text gives its name back.
enum FilePath {
    private static let base: UInt32 = 0x10_ff00

    static func text(of bytes: [UInt8]) -> String {
        if !bytes.contains(0xf4), let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        var position = 0
        while position < bytes.count {
            let longest = min(4, bytes.count - position)
            let scalar = (1...longest).lazy.compactMap { length -> (scalar: Unicode.Scalar, length: Int)? in
                guard let one = String(validating: bytes[position..<position + length], as: UTF8.self),
                    let scalar = one.unicodeScalars.first
                else { return nil }
                return (scalar, length)
            }.first
            if let scalar, scalar.scalar.value < base {
                text.append(scalar.scalar)
                position += scalar.length
            } else {
                text.append(Unicode.Scalar(base + UInt32(bytes[position])) ?? "\u{fffd}")
                position += 1
            }
        }
        return String(text)
    }

    static func bytes(of text: String) -> [UInt8] {
        guard text.utf8.contains(0xf4) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar -> [UInt8] in
            scalar.value >= base ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// The path without its last part; empty for what lies at the root.
    static func folder(of text: String) -> String {
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[..<$0]) } ?? ""
    }

    /// The path of what has this name in a folder; an empty path is the root's.
    static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
    }

    /// The folder and the name of what lies at a path.
    static func split(_ path: [UInt8]) -> (folder: [UInt8], name: [UInt8]) {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return ([], path) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    /// The last part of a path as people may read it: what is not text is U+FFFD.
    static func name(of text: String) -> String {
        let last = text.utf8.lastIndex(of: UInt8(ascii: "/")).map { text[text.utf8.index(after: $0)...] } ?? text[...]
        return printable(String(last))
    }

    /// Fit for a log line or a page: U+FFFD is put for control characters, line ends and what is not text, and for what
    /// turns the direction of the text around it (`\u{202e}gnp.exe` looks like `exe.png`).
    static func printable(_ text: String) -> String {
        func isOdd(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, base...: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isOdd) else { return text }
        var clean = String.UnicodeScalarView()
        clean.append(contentsOf: text.unicodeScalars.lazy.map { isOdd($0) ? "\u{fffd}" : $0 })
        return String(clean)
    }
}
