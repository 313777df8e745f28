/// Splits XML text (XML 1.0, Fifth Edition) into tags and the text between them. It checks only what it needs;
/// ``XMLReader`` also checks that a document is well formed. Takes linear time.
public struct XMLScanner {
    /// A part of the text.
    public enum Token: Equatable {
        case start(Tag)
        /// The end of an element, with its name.
        case end(ArraySlice<UInt8>)
        /// Text as written, without resolving references.
        case text(ArraySlice<UInt8>)
        /// The content of a CDATA section, to be taken literally.
        case literal(ArraySlice<UInt8>)
        /// A document type.
        case declaration
    }

    /// A start tag, or the tag of an empty element.
    public struct Tag: Equatable {
        /// The name as written, with its prefix.
        public let name: ArraySlice<UInt8>
        /// Whether the element is empty (`<a/>`).
        public let isEmpty: Bool
        let attributes: ArraySlice<UInt8>

        /// Calls `body` with the name of each attribute and its value as written.
        public func forEachAttribute(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
            var rest = attributes
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

    /// The bytes that follow the last token.
    public private(set) var rest: ArraySlice<UInt8>

    /// - Parameter bytes: The text, which may end within a token.
    public init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next token; nil if the rest is at most the beginning of one. Comments and processing instructions are
    /// skipped.
    public mutating func next() -> Token? {
        while let first = rest.first {
            guard first == UInt8(ascii: "<") else {
                guard let end = rest.firstIndex(of: UInt8(ascii: "<")) else { return nil }
                defer { rest = rest[end...] }
                return .text(rest[..<end])
            }
            switch rest.dropFirst().first {
            case UInt8(ascii: "!") where rest.starts(with: "<!--".utf8):
                guard take(4, to: "-->") != nil else { return nil }
            case UInt8(ascii: "!") where rest.starts(with: "<![CDATA[".utf8):
                return take(9, to: "]]>").map { .literal($0) }
            case UInt8(ascii: "!"): return take(2, to: ">").map { _ in .declaration }
            case UInt8(ascii: "?"): guard take(2, to: "?>") != nil else { return nil }
            case UInt8(ascii: "/"): return take(2, to: ">").map { .end($0.prefix { !Self.isBlank($0) }) }
            default: return takeTag().map { .start($0) }
            }
        }
        return nil
    }

    /// Takes the bytes up to `mark`, and skips `mark` itself; nil if it has not arrived yet.
    private mutating func take(_ count: Int, to mark: StaticString) -> ArraySlice<UInt8>? {
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
        return nil
    }

    private mutating func takeTag() -> Tag? {
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
        guard position < inside.endIndex else { return nil }
        var content = inside[..<position]
        rest = inside[(position + 1)...]
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content = content.dropLast() }
        let name = content.prefix { !Self.isBlank($0) }
        return Tag(name: name, isEmpty: isEmpty, attributes: content[name.endIndex...])
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
