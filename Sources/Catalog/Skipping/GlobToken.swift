/// A piece of a pattern for one name.
enum GlobToken: Hashable, Sendable {
    case scalar(UInt32)
    /// `?`
    case any
    /// `*`
    case anything
    /// `[…]`
    case set([ClosedRange<UInt32>], isNegated: Bool)

    /// - Throws: `GlobPattern.Invalid` for a set that does not end, a backwards range, or a backslash at the end.
    static func tokens(of text: [Unicode.Scalar]) throws(GlobPattern.Invalid) -> [GlobToken] {
        var tokens: [GlobToken] = []
        var rest = text[...]
        while let next = rest.popFirst() {
            switch next {
            case "*": if tokens.last != .anything { tokens.append(.anything) }
            case "?": tokens.append(.any)
            case "[": tokens.append(try set(&rest))
            case "\\": tokens.append(.scalar(try escaped(&rest)))
            default: tokens.append(.scalar(next.value))
            }
        }
        return tokens
    }

    /// Whether the tokens match the whole name.
    static func match(_ tokens: [GlobToken], _ name: [UInt32]) -> Bool {
        var (place, token) = (0, 0)
        var star: (place: Int, token: Int)?
        while place < name.count {
            if token < tokens.count, tokens[token] == .anything {
                token += 1
                star = (place, token)
            } else if token < tokens.count, tokens[token].matches(name[place]) {
                token += 1
                place += 1
            } else if let last = star {
                star = (last.place + 1, last.token)
                (place, token) = (last.place + 1, last.token)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .anything }
    }

    private func matches(_ scalar: UInt32) -> Bool {
        switch self {
        case .scalar(let own): own == scalar
        case .any, .anything: true
        case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }

    private static func escaped(_ rest: inout ArraySlice<Unicode.Scalar>) throws(GlobPattern.Invalid) -> UInt32 {
        guard let next = rest.popFirst() else {
            throw GlobPattern.Invalid(reason: "ends with a backslash; write \\\\ for the character itself")
        }
        return next.value
    }

    /// The set after its opening bracket.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) throws(GlobPattern.Invalid) -> GlobToken {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while let next = rest.popFirst() {
            // A bracket that closes at once is a member.
            if next == "]", !isFirst { return .set(ranges, isNegated: isNegated) }
            isFirst = false
            if next == "[", rest.first == ":" {
                ranges += try namedRanges(&rest)
                continue
            }
            let lower = next == "\\" ? try escaped(&rest) : next.value
            guard rest.first == "-", let end = rest.dropFirst().first, end != "]" else {
                ranges.append(lower...lower)
                continue
            }
            rest.removeFirst(2)
            let upper = end == "\\" ? try escaped(&rest) : end.value
            guard lower <= upper else { throw GlobPattern.Invalid(reason: "has a range that runs backwards") }
            ranges.append(lower...upper)
        }
        throw GlobPattern.Invalid(reason: "has a [ without its ]; write \\[ for the character itself")
    }

    /// The named sets of POSIX, for ASCII.
    private static let named: [String: [ClosedRange<Unicode.Scalar>]] = [
        "alnum": ["0"..."9", "A"..."Z", "a"..."z"], "alpha": ["A"..."Z", "a"..."z"],
        "blank": [" "..." ", "\t"..."\t"], "cntrl": ["\0"..."\u{1f}", "\u{7f}"..."\u{7f}"],
        "digit": ["0"..."9"], "graph": ["!"..."~"], "lower": ["a"..."z"], "print": [" "..."~"],
        "punct": ["!"..."/", ":"..."@", "["..."`", "{"..."~"], "space": ["\t"..."\r", " "..." "],
        "upper": ["A"..."Z"], "xdigit": ["0"..."9", "A"..."F", "a"..."f"],
    ]

    /// The set after its `[`, up to its `:]`.
    private static func namedRanges(
        _ rest: inout ArraySlice<Unicode.Scalar>
    ) throws(GlobPattern.Invalid) -> [ClosedRange<UInt32>] {
        rest.removeFirst()
        var name = ""
        while let next = rest.popFirst(), next != ":" { name.unicodeScalars.append(next) }
        guard rest.popFirst() == "]", let ranges = named[name] else {
            throw GlobPattern.Invalid(reason: "has an unknown set; known ones are [:alpha:], [:digit:] and so on")
        }
        return ranges.map { $0.lowerBound.value...$0.upperBound.value }
    }
}
