/// Reads XML (XML 1.0, Fifth Edition) piece by piece: bytes in, events out, with bounded memory. As much of it as an answer of a
/// store needs: elements, text, the five named and the numbered entities; attributes, comments and processing
/// instructions are passed over. A document type is refused, and with it all that expands, and so are CDATA sections, which
/// no store writes.
struct XMLReader {
    enum Event: Hashable {
        /// An element's local name: what stands before a colon is cut off.
        case begin(String)
        /// All text between two tags, entities resolved; nothing is told of what is empty.
        case text([UInt8])
        case end(String)
    }

    /// Why the bytes are no such XML.
    struct Fault: Error, Hashable {
        let reason: String
    }

    /// Bytes of the longest text between two tags, and of the longest tag.
    static let longestText = 16_384
    static let deepest = 16

    private enum State {
        case text
        /// After `<`, up to `>`; in quotes a `>` is part of an attribute.
        case tag(quote: UInt8?)
        case comment, instruction
    }

    private var state = State.text
    private var text: [UInt8] = []
    private var tag: [UInt8] = []
    /// The names of the elements that are open.
    private var open: [String] = []
    private var isOver = false

    /// Takes the next bytes.
    mutating func read(_ bytes: UnsafeRawBufferPointer, emit: (Event) throws -> Void) throws {
        var position = 0
        while position < bytes.count {
            switch state {
            case .text:
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                try Self.keep(bytes[position..<end], in: &text)
                position = end + 1
                guard end < bytes.count else { return }
                tag.removeAll(keepingCapacity: true)
                state = .tag(quote: nil)
            case .tag(quote: nil) where tag.isEmpty:
                // Most tags have nothing but a name, and come in one piece.
                let end =
                    bytes[position...].prefix(64).firstIndex {
                        !Self.isNameLetter($0) && $0 != UInt8(ascii: "/")
                    } ?? position
                if end < bytes.count, bytes[end] == UInt8(ascii: ">") {
                    try Self.keep(bytes[position..<end], in: &tag)
                    position = end
                }
                try read(bytes[position], inTag: nil, emit)
                position += 1
            case .tag(let quote):
                try read(bytes[position], inTag: quote, emit)
                position += 1
            case .comment, .instruction:
                skip(bytes[position])
                position += 1
            }
        }
    }

    /// The document is at its end.
    func finish() throws(Fault) {
        guard case .text = state, open.isEmpty, isOver, isBlank(text) else {
            throw Fault(reason: "the document ends too early")
        }
    }

    private static func keep(_ bytes: Slice<UnsafeRawBufferPointer>, in part: inout [UInt8]) throws(Fault) {
        guard part.count + bytes.count <= longestText else { throw Fault(reason: "a text or tag is too long") }
        part.append(contentsOf: bytes)
    }

    /// Keeps no more than is needed to know the end.
    private mutating func skip(_ byte: UInt8) {
        let end = if case .comment = state { "-->" } else { "?>" }
        tag.append(byte)
        if tag.count > end.utf8.count { tag.removeFirst() }
        if tag.elementsEqual(end.utf8) { state = .text }
    }

    private mutating func read(_ byte: UInt8, inTag quote: UInt8?, _ emit: (Event) throws -> Void) throws {
        if let quote {
            if byte == quote { state = .tag(quote: nil) }
            return try keep(byte)
        }
        switch byte {
        case UInt8(ascii: ">"):
            state = .text
            return try takeTag(emit)
        case UInt8(ascii: "<"): throw Fault(reason: "a tag within a tag")
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .tag(quote: byte)
        default: break
        }
        try keep(byte)
        guard tag.count <= 3 else { return }
        if tag.elementsEqual("!--".utf8) { begin(.comment) }
        if tag.elementsEqual("?".utf8) { begin(.instruction) }
    }

    private mutating func keep(_ byte: UInt8) throws(Fault) {
        guard tag.count < Self.longestText else { throw Fault(reason: "a text or tag is too long") }
        tag.append(byte)
    }

    private mutating func begin(_ next: State) {
        tag.removeAll(keepingCapacity: true)
        state = next
    }

    private mutating func takeTag(_ emit: (Event) throws -> Void) throws {
        guard let first = tag.first else { throw Fault(reason: "a tag without a name") }
        guard first != UInt8(ascii: "!") else { throw Fault(reason: "a document type or a CDATA section") }
        try tell(emit)
        let isEnd = first == UInt8(ascii: "/")
        let isEmpty = !isEnd && tag.last == UInt8(ascii: "/")
        let name = try Self.name(in: tag[(isEnd ? 1 : 0)..<(tag.count - (isEmpty ? 1 : 0))])
        if isEnd {
            guard open.popLast() == name else { throw Fault(reason: "an end that has no beginning") }
            try emit(.end(name))
        } else {
            guard !isOver || !open.isEmpty else { throw Fault(reason: "a second document") }
            guard open.count < Self.deepest else { throw Fault(reason: "elements too deep within each other") }
            isOver = true
            try emit(.begin(name))
            if isEmpty { try emit(.end(name)) } else { open.append(name) }
        }
    }

    /// Hands out the text before a tag.
    private mutating func tell(_ emit: (Event) throws -> Void) throws {
        defer { text.removeAll(keepingCapacity: true) }
        guard !text.isEmpty else { return }
        guard !open.isEmpty else {
            guard isBlank(text) else { throw Fault(reason: "text outside of the document") }
            return
        }
        try emit(.text(text.contains(UInt8(ascii: "&")) ? Self.resolved(text) : text))
    }

    /// White space, and a byte order mark.
    private func isBlank(_ text: [UInt8]) -> Bool {
        let rest = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text[...]
        return rest.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) }
    }

    private static func name(in tag: ArraySlice<UInt8>) throws(Fault) -> String {
        let whole = tag.prefix { $0 > 0x20 }
        let local = whole.lastIndex(of: UInt8(ascii: ":")).map { whole[($0 + 1)...] } ?? whole
        guard (1...64).contains(local.count), local.allSatisfy(isNameLetter) else {
            throw Fault(reason: "a tag without a name")
        }
        return String(decoding: local, as: UTF8.self)
    }

    private static func isNameLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
