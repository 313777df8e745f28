/// Parses a well-formed XML document piece by piece: bytes in, events out, with bounded memory. It supports what the
/// responses of object stores contain: elements, text and references. Attributes, comments and processing instructions
/// are ignored. A document type is refused, and with it all entity expansion; so are CDATA sections, which no store
/// sends.
public struct XMLReader {
    /// A part of the document.
    public enum Event: Hashable {
        /// The start of an element, with its local name: without prefix and colon.
        case begin(String)
        /// All text between two tags, with references resolved; there is no event for empty text.
        case text([UInt8])
        case end(String)
    }

    /// Why the bytes are not XML that this reader supports.
    public struct Fault: Error, Hashable {
        /// What is wrong, for a log line.
        public let reason: String

        public init(reason: String) { self.reason = reason }
    }

    /// The most bytes of a text between two tags, of a tag and of a comment.
    static let longestText = 16_384
    static let deepest = 16

    /// The beginning of an incomplete token.
    private var pending: [UInt8] = []
    private var text: [UInt8] = []
    /// The names of the open elements.
    private var open: [String] = []
    private var hasBegun = false

    public init() {}

    /// Parses the next bytes.
    ///
    /// - Throws: ``Fault``, and what `emit` throws.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, emit: (Event) throws -> Void) throws {
        pending += bytes
        var scanner = XMLScanner(pending[...])
        while let token = scanner.next() { try take(token, emit) }
        guard scanner.rest.count <= Self.longestText else { throw Self.tooLong }
        pending = Array(scanner.rest)
    }

    /// Ends the document.
    ///
    /// - Throws: ``Fault`` if the document is incomplete.
    public func finish() throws(Fault) {
        guard open.isEmpty, hasBegun, Self.isBlank(text + pending) else {
            throw Fault(reason: "the document ends too early")
        }
    }

    private static let tooLong = Fault(reason: "a text or tag is too long")

    private mutating func take(_ token: XMLScanner.Token, _ emit: (Event) throws -> Void) throws {
        switch token {
        case .text(let more):
            guard text.count + more.count <= Self.longestText else { throw Self.tooLong }
            text += more
        case .start(let tag):
            guard tag.attributes.count <= Self.longestText else { throw Self.tooLong }
            guard !tag.attributes.contains(UInt8(ascii: "<")) else { throw Fault(reason: "a tag within a tag") }
            let name = try Self.localName(tag.name)
            try endText(emit)
            guard !hasBegun || !open.isEmpty else { throw Fault(reason: "a second document") }
            guard open.count < Self.deepest else { throw Fault(reason: "elements nested too deeply") }
            hasBegun = true
            try emit(.begin(name))
            if tag.isEmpty { try emit(.end(name)) } else { open.append(name) }
        case .end(let name):
            let name = try Self.localName(name)
            try endText(emit)
            guard open.popLast() == name else { throw Fault(reason: "an end tag without a start tag") }
            try emit(.end(name))
        case .literal, .declaration: throw Fault(reason: "a document type or a CDATA section")
        }
    }

    /// Emits the text before a tag.
    private mutating func endText(_ emit: (Event) throws -> Void) throws {
        defer { text.removeAll(keepingCapacity: true) }
        guard !text.isEmpty else { return }
        guard !open.isEmpty else {
            guard Self.isBlank(text) else { throw Fault(reason: "text outside of the document") }
            return
        }
        let (resolved, isValid) = XMLReferences.resolve(text[...])
        guard isValid else { throw Fault(reason: "an ampersand that begins no known reference") }
        try emit(.text(resolved))
    }

    /// Whether the text is only white space, perhaps after a byte order mark.
    private static func isBlank(_ text: [UInt8]) -> Bool {
        let rest = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text[...]
        return rest.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) }
    }

    private static func localName(_ name: ArraySlice<UInt8>) throws(Fault) -> String {
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
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
