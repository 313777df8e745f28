/// Cuts a text in XML (XML 1.0, fifth edition) into tags and what stands between them, as far as XMP needs it: no document
/// types, no entities but the five that need none. Each byte is looked at a fixed number of times, whatever they are.
struct XMLScanner {
    enum Token: Equatable {
        case start(Tag)
        case end
        /// As it is written, its references not resolved yet.
        case text(ArraySlice<UInt8>)
        /// Means what is written.
        case literal(ArraySlice<UInt8>)
    }

    struct Tag: Equatable {
        let name: ArraySlice<UInt8>
        /// Whether nothing is inside.
        let isEmpty: Bool
        fileprivate let rest: ArraySlice<UInt8>

        /// Calls `body` with the name and the value of each attribute, the value as it is written.
        func forEachAttribute(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
            var rest = rest
            while true {
                rest = rest.drop(while: XMLScanner.isBlank)
                let name = rest.prefix { $0 != UInt8(ascii: "=") && !XMLScanner.isBlank($0) }
                rest = rest[name.endIndex...].drop(while: XMLScanner.isBlank)
                guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return }
                rest = rest.dropFirst().drop(while: XMLScanner.isBlank)
                guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return }
                let value = rest.dropFirst().prefix { $0 != quote }
                guard value.endIndex < rest.endIndex else { return }
                body(name, value)
                rest = rest[(value.endIndex + 1)...]
            }
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Nil at the end, and where a tag is not closed.
    mutating func next() -> Token? {
        while let first = rest.first {
            guard first == UInt8(ascii: "<") else {
                let text = rest.prefix { $0 != UInt8(ascii: "<") }
                rest = rest[text.endIndex...]
                return .text(text)
            }
            if rest.starts(with: "<!--".utf8) {
                guard skip(4, to: "-->") != nil else { return nil }
            } else if rest.starts(with: "<![CDATA[".utf8) {
                return skip(9, to: "]]>").map { .literal($0) }
            } else if rest.starts(with: "<?".utf8) {
                guard skip(2, to: "?>") != nil else { return nil }
            } else if rest.starts(with: "<!".utf8) {
                guard skip(2, to: ">") != nil else { return nil }
            } else if rest.starts(with: "</".utf8) {
                return skip(2, to: ">").map { _ in .end }
            } else {
                return tag().map { .start($0) }
            }
        }
        return nil
    }

    /// What stands before `mark`, which is passed as well; nil, and the end, if it does not come.
    private mutating func skip(_ count: Int, to mark: StaticString) -> ArraySlice<UInt8>? {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        let inside = rest.dropFirst(count)
        var position = inside.startIndex
        while position + mark.count <= inside.endIndex {
            if inside[position] == mark[0], inside[position..<position + mark.count].elementsEqual(mark) {
                rest = inside[(position + mark.count)...]
                return inside[..<position]
            }
            position += 1
        }
        rest = []
        return nil
    }

    private mutating func tag() -> Tag? {
        let inside = rest.dropFirst()
        var quote: UInt8?
        var position = inside.startIndex
        while position < inside.endIndex {
            let byte = inside[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                break
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            position += 1
        }
        guard position < inside.endIndex else {
            rest = []
            return nil
        }
        var content = inside[..<position]
        rest = inside[(position + 1)...]
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content = content.dropLast() }
        let name = content.prefix { !Self.isBlank($0) }
        return Tag(name: name, isEmpty: isEmpty, rest: content[name.endIndex...])
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    /// The text with its references resolved (XML 1.0, 4.1): characters by their number, and the five named ones. What is
    /// none of them stays as it is written.
    static func resolved(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "&")) else { return Array(text) }
        var bytes: [UInt8] = []
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            if byte == UInt8(ascii: "&") {
                let name = text[(position + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
                if name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: ";"), let meant = meaning(name) {
                    bytes += Array(String(meant).utf8)
                    position = name.endIndex + 1
                    continue
                }
            }
            bytes.append(byte)
            position += 1
        }
        return bytes
    }

    private static func meaning(_ name: ArraySlice<UInt8>) -> Character? {
        let name = String(decoding: name, as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
