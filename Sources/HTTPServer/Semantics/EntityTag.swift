/// An identifier of one version of a resource (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// The text between the quotes.
    public let opaque: String
    /// Whether representations with this tag may differ in their bytes.
    public let isWeak: Bool

    /// Nil if `opaque` contains a quote, white space or a control character.
    public init?(_ opaque: some StringProtocol, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }) else { return nil }
        self.opaque = String(opaque)
        self.isWeak = isWeak
    }

    /// For text that is known to contain no such character.
    init(unchecked opaque: String) {
        self.opaque = opaque
        isWeak = false
    }

    /// The form used in fields: `"abc"`, `W/"abc"`.
    public var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Parses a single tag; nil for anything else.
    public init?(parsing text: String) {
        guard let tags = EntityTag.list(text), tags.count == 1 else { return nil }
        self = tags[0]
    }

    /// Parses a list of tags, as in `If-None-Match`. A tag may contain a comma. Nil if it is not a list of tags.
    public static func list(_ text: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = Substring(text)
        func skipSpace() { rest = rest.drop { $0 == " " || $0 == "\t" } }
        while true {
            skipSpace()
            if rest.first == "," {
                rest.removeFirst()
                continue
            }
            guard !rest.isEmpty else { return tags }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest.removeFirst(2) }
            guard rest.first == "\"" else { return nil }
            rest.removeFirst()
            guard let end = rest.firstIndex(of: "\""), let tag = EntityTag(rest[..<end], isWeak: isWeak) else {
                return nil
            }
            tags.append(tag)
            rest = rest[end...].dropFirst()
            skipSpace()
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
    }

    /// The strong comparison: equal, and neither is weak (RFC 9110 §8.8.3.2).
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The weak comparison: equal, weak or not.
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}
