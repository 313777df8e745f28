/// File names as text. A Linux file name is any sequence of bytes; most are UTF-8 and become text unchanged. A byte
/// that is not part of valid UTF-8 becomes one scalar of the last private-use block (U+10FF00 + byte). The bytes of a
/// name that contains such scalars itself are escaped in the same way, so the mapping is reversible for every name.
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

    /// The path without its last component; empty for files at the root.
    static func folder(of text: String) -> String {
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[..<$0]) } ?? ""
    }

    /// The folder of a path in the file system: `/` for a file in the root, and `.` for one in the working directory.
    static func systemFolder(of path: String) -> String {
        let folder = split(Array(path.utf8)).folder
        guard folder.isEmpty else { return String(decoding: folder, as: UTF8.self) }
        return path.hasPrefix("/") ? "/" : "."
    }

    /// The path of a name in a folder; the empty path is the root.
    static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
    }

    /// The folder and the name of a path.
    static func split(_ path: [UInt8]) -> (folder: [UInt8], name: [UInt8]) {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return ([], path) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    /// The last component of a path for display: anything that is not text becomes U+FFFD.
    static func name(of text: String) -> String {
        let last = text.utf8.lastIndex(of: UInt8(ascii: "/")).map { text[text.utf8.index(after: $0)...] } ?? text[...]
        return printable(String(last))
    }

    /// Text that is safe in a log line or a page: control characters, line ends and escaped bytes become U+FFFD, and so
    /// do characters that change the direction of the text around them (`\u{202e}gnp.exe` looks like `exe.png`).
    static func printable(_ text: String) -> String {
        func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, base...: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var clean = String.UnicodeScalarView()
        clean.append(contentsOf: text.unicodeScalars.lazy.map { isUnprintable($0) ? "\u{fffd}" : $0 })
        return String(clean)
    }
}
