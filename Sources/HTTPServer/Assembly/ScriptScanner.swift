/// The tokens of a script in JavaScript, as far as one must know them to find its imports and to leave out its comments.
///
/// Whether a slash divides or begins a regular expression is told by what stands before it. After `)` and `}` it is
/// taken for a division: a statement that begins with a regular expression there is not understood.
struct ScriptScanner {
    enum Kind: Hashable {
        /// White space within a line, and comments that end in the line they begin in.
        case space
        /// White space and comments in which a line ends.
        case lineEnd
        case string
        /// All of a template literal, what is filled into it included.
        case template
        case regularExpression
        /// A name, a keyword or a number.
        case word
        /// One byte.
        case punctuation
    }

    struct Token: Hashable {
        let kind: Kind
        let bytes: ArraySlice<UInt8>

        /// What the token reads, where it is a word, a string or punctuation.
        var text: String { String(decoding: bytes, as: UTF8.self) }

        func isPunctuation(_ character: Unicode.Scalar) -> Bool {
            kind == .punctuation && bytes.first == UInt8(ascii: character)
        }
    }

    private let script: ArraySlice<UInt8>
    private var at: Int
    private var before: Token?

    private init(_ script: ArraySlice<UInt8>) {
        self.script = script
        at = script.startIndex
    }

    /// All tokens of a script, which put together are the script again.
    static func tokens(of script: [UInt8]) throws(ScriptError) -> [Token] {
        var scanner = ScriptScanner(script[...])
        var tokens: [Token] = []
        while let token = try scanner.next() { tokens.append(token) }
        return tokens
    }

    private var byte: UInt8? { at < script.endIndex ? script[at] : nil }
    private var following: UInt8? { at + 1 < script.endIndex ? script[at + 1] : nil }

    private mutating func next() throws(ScriptError) -> Token? {
        guard let byte else { return nil }
        let start = at
        let kind: Kind
        switch byte {
        case _ where isSpace(byte) || isComment: kind = try skipSpace()
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            try skipQuoted(by: byte, "a string")
            kind = .string
        case UInt8(ascii: "`"):
            try skipTemplate()
            kind = .template
        case UInt8(ascii: "/") where beginsExpression:
            try skipRegularExpression()
            kind = .regularExpression
        case _ where isWord(byte):
            while let byte = self.byte, isWord(byte) { at += 1 }
            kind = .word
        default:
            at += 1
            kind = .punctuation
        }
        let token = Token(kind: kind, bytes: script[start..<at])
        if kind != .space, kind != .lineEnd { before = token }
        return token
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Letters beyond ASCII are words, too.
    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private var isComment: Bool {
        byte == UInt8(ascii: "/") && (following == UInt8(ascii: "/") || following == UInt8(ascii: "*"))
    }

    private mutating func skipSpace() throws(ScriptError) -> Kind {
        var kind = Kind.space
        while let byte {
            if isSpace(byte) {
                if byte == 0x0A { kind = .lineEnd }
                at += 1
            } else if isComment {
                let start = at
                if following == UInt8(ascii: "/") {
                    while let byte = self.byte, byte != 0x0A { at += 1 }
                } else {
                    try skipBlockComment()
                }
                if script[start..<at].contains(0x0A) { kind = .lineEnd }
            } else {
                break
            }
        }
        return kind
    }

    private mutating func skipBlockComment() throws(ScriptError) {
        let start = at
        at += 2
        while let byte {
            if byte == UInt8(ascii: "*"), following == UInt8(ascii: "/") {
                at += 2
                return
            }
            at += 1
        }
        throw error("a comment", from: start)
    }

    private mutating func skipQuoted(by quote: UInt8, _ what: String) throws(ScriptError) {
        let start = at
        at += 1
        while let byte, byte != 0x0A {
            at += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == quote { return }
        }
        throw error(what, from: start)
    }

    private mutating func skipTemplate() throws(ScriptError) {
        let start = at
        at += 1
        while let byte {
            if byte == UInt8(ascii: "$"), following == UInt8(ascii: "{") {
                at += 2
                try skipFilling()
                continue
            }
            at += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "`") { return }
        }
        throw error("a template", from: start)
    }

    /// What is filled into a template, up to the brace that ends it.
    private mutating func skipFilling() throws(ScriptError) {
        let start = at
        var depth = 1
        before = nil
        while let token = try next() {
            if token.isPunctuation("{") { depth += 1 }
            if token.isPunctuation("}") { depth -= 1 }
            if depth == 0 { return }
        }
        throw error("a template", from: start)
    }

    private mutating func skipRegularExpression() throws(ScriptError) {
        let start = at
        at += 1
        var isInClass = false
        while let byte, byte != 0x0A {
            at += byte == UInt8(ascii: "\\") ? 2 : 1
            switch byte {
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                while let flag = self.byte, isWord(flag) { at += 1 }
                return
            default: continue
            }
        }
        throw error("a regular expression", from: start)
    }

    /// Whether what comes next is an operand.
    private var beginsExpression: Bool {
        guard let before else { return true }
        return switch before.kind {
        case .word: Self.operators.contains(before.text)
        case .punctuation: !before.isPunctuation(")") && !before.isPunctuation("]") && !before.isPunctuation("}")
        default: false
        }
    }

    /// Words that an operand follows.
    private static let operators: Set = [
        "await", "case", "delete", "do", "else", "in", "instanceof", "new", "of", "return", "throw", "typeof", "void",
        "yield",
    ]

    private func error(_ what: String, from start: Int) -> ScriptError {
        ScriptError(line: line(of: start), reason: "\(what) does not end")
    }

    private func line(of index: Int) -> Int { 1 + script[..<index].count { $0 == 0x0A } }
}

// What white space does, where it is more than a reader's comfort.
extension ScriptScanner.Token {
    private var punctuation: Unicode.Scalar? { kind == .punctuation ? bytes.first.map { Unicode.Scalar($0) } : nil }

    /// Whether the two would be read as something else with nothing between them.
    static func mustStayApart(_ one: Self?, _ other: Self?) -> Bool {
        guard let one, let other else { return false }
        if one.isPunctuation("/") || other.isPunctuation("/") || other.kind == .regularExpression { return true }
        let signs: Set<Unicode.Scalar> = ["+", "-"]
        return switch (one.punctuation, other.punctuation) {
        case (nil, nil): true
        // `1 .x`
        case (nil, let next?): next == "." && one.bytes.first.map { (0x30...0x39).contains($0) } ?? false
        case (let sign?, let next?): signs.contains(sign) && signs.contains(next)
        case (_?, nil): false
        }
    }

    /// Whether a statement may end where a line ends between the two (ECMA-262, 12.10): not where what stands before cannot
    /// end one, nor where what follows cannot begin one, but for a brace that ends it as well.
    static func mustStayOnTheirLines(_ one: Self?, _ other: Self?) -> Bool {
        let open: Set<Unicode.Scalar> = ["{", "(", "[", ",", ";"]
        let closed: Set<Unicode.Scalar> = ["}", ")", "]", ".", "?", ":", "&", "|"]
        guard let one, let other else { return false }
        return !(one.punctuation.map(open.contains) ?? false) && !(other.punctuation.map(closed.contains) ?? false)
    }
}

/// What in a script is not understood.
struct ScriptError: Error, Hashable {
    /// Counted from 1.
    let line: Int
    let reason: String
}
