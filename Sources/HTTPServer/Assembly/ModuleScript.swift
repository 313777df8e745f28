/// A module of JavaScript, taken apart: what it imports, what it exports, and the rest, without comments and without
/// the white space that it does as well without.
///
/// It understands the imports and exports that can be put together as values: names and namespaces, files and not
/// packages, classes, functions and constants. What it does not understand is an error and never a guess.
struct ModuleScript: Hashable {
    struct Import: Hashable {
        /// As it is written, for instance `../grid/grid.js`.
        let specifier: String
        /// What the module's object is bound to: a name, or a pattern; nil where it is only to be run.
        let binding: String?
    }

    enum Piece: Hashable {
        case text([UInt8])
        /// `new URL('worker.js', import.meta.url)`: a file beside the module, as it is written.
        case url(specifier: String)
    }

    private(set) var imports: [Import] = []
    /// As the insides of an object literal: `Grid`, `inner: outer`.
    private(set) var exports: [String] = []
    private(set) var pieces: [Piece] = []

    private let tokens: [ScriptScanner.Token]
    private var at = 0
    private var depth = 0
    private var text: [UInt8] = []

    init(_ script: [UInt8]) throws(ScriptError) {
        tokens = try ScriptScanner.tokens(of: script)
        while at < tokens.count { try take() }
        endText()
    }

    private var line: Int { 1 + tokens[..<at].reduce(0) { $0 + $1.bytes.count { $0 == 0x0A } } }

    private mutating func take() throws(ScriptError) {
        let token = tokens[at]
        switch token.kind {
        case .space: if ScriptScanner.Token.mustStayApart(before, next) { text.append(0x20) }
        case .lineEnd: if ScriptScanner.Token.mustStayOnTheirLines(before, next) { text.append(0x0A) }
        case .word where !isMember && token.text == "import": return try takeImport()
        case .word where !isMember && depth == 0 && token.text == "export": return try takeExport()
        case .word where token.text == "new":
            if let specifier = urlBesideModule() {
                endText()
                pieces.append(.url(specifier: specifier))
                return
            }
            text += token.bytes
        default:
            if token.isPunctuation("{") { depth += 1 }
            if token.isPunctuation("}") { depth -= 1 }
            text += token.bytes
        }
        at += 1
    }

    private mutating func endText() {
        if !text.isEmpty { pieces.append(.text(text)) }
        text = []
    }

    /// The last token before this one that is more than white space.
    private var before: ScriptScanner.Token? { tokens[..<at].last { $0.kind != .space && $0.kind != .lineEnd } }

    /// The token after this one.
    private var next: ScriptScanner.Token? { at + 1 < tokens.count ? tokens[at + 1] : nil }

    /// Whether the word is the name of a member: `a.import`.
    private var isMember: Bool { before?.isPunctuation(".") ?? false }

    /// The next token that is more than white space, which is passed over.
    private mutating func advance() -> ScriptScanner.Token? {
        while at < tokens.count {
            at += 1
            if tokens[at - 1].kind != .space, tokens[at - 1].kind != .lineEnd { return tokens[at - 1] }
        }
        return nil
    }

    private mutating func expect(_ word: String) throws(ScriptError) {
        guard let token = advance(), token.text == word else { throw error("'\(word)' is missing") }
    }

    private mutating func takeName(of token: ScriptScanner.Token?) throws(ScriptError) -> String {
        guard let token, token.kind == .word else { throw error("a name is missing") }
        return token.text
    }

    private mutating func takeSpecifier(of token: ScriptScanner.Token?) throws(ScriptError) -> String {
        guard let token, token.kind == .string else { throw error("the name of a file is missing") }
        return String(token.text.dropFirst().dropLast())
    }

    private func error(_ reason: String) -> ScriptError { ScriptError(line: line, reason: reason) }

    // import 'x'; import * as a from 'x'; import { a, b as c } from 'x';
    private mutating func takeImport() throws(ScriptError) {
        at += 1
        let token = advance()
        guard depth == 0, let token, !token.isPunctuation("("), !token.isPunctuation(".") else {
            throw error("an import that is none at the top of the module")
        }
        var binding: String?
        if token.isPunctuation("{") {
            let names = try takeNames().map { name in name.other.map { "\(name.first): \($0)" } ?? name.first }
            binding = "{ \(names.joined(separator: ", ")) }"
        } else if token.isPunctuation("*") {
            try expect("as")
            binding = try takeName(of: advance())
        } else if token.kind == .word {
            throw error("an import of what has no name")
        }
        if binding != nil { try expect("from") }
        imports.append(
            Import(specifier: try takeSpecifier(of: binding == nil ? token : advance()), binding: binding))
        takeEnd()
    }

    private mutating func takeExport() throws(ScriptError) {
        at += 1
        while at < tokens.count, tokens[at].kind == .space { at += 1 }
        let start = at
        var token = advance()
        if let token, token.isPunctuation("{") {
            exports += try takeNames().map { name in name.other.map { "\($0): \(name.first)" } ?? name.first }
            takeEnd()
            return
        }
        if token?.text == "async" { token = advance() }
        guard let word = token?.text, ["class", "const", "function"].contains(word) else {
            throw error("an export of neither a class nor a function nor a constant")
        }
        token = advance()
        if word == "function", let star = token, star.isPunctuation("*") { token = advance() }
        exports.append(try takeName(of: token))
        // The declaration itself stays.
        at = start
    }

    /// `a, b as c }`, where the opening brace is passed already.
    private mutating func takeNames() throws(ScriptError) -> [(first: String, other: String?)] {
        var names: [(first: String, other: String?)] = []
        var token = advance()
        while let present = token, !present.isPunctuation("}") {
            let first = try takeName(of: present)
            var other: String?
            token = advance()
            if token?.text == "as" {
                other = try takeName(of: advance())
                token = advance()
            }
            names.append((first, other))
            if let comma = token, comma.isPunctuation(",") { token = advance() }
        }
        guard token != nil else { throw error("'}' is missing") }
        return names
    }

    /// What ends a statement: a semicolon, or nothing.
    private mutating func takeEnd() {
        let start = at
        guard let token = advance(), token.isPunctuation(";") else {
            at = start
            return
        }
    }

    /// At `new`: what is named in `new URL('x', import.meta.url)`, which is passed over; nil for anything else.
    private mutating func urlBesideModule() -> String? {
        let start = at
        let words = (0..<11).map { _ in advance()?.text }
        guard words[..<3] == ["new", "URL", "("], words[4...] == [",", "import", ".", "meta", ".", "url", ")"],
            let name = words[3], name.hasPrefix("'") || name.hasPrefix("\"")
        else {
            at = start
            return nil
        }
        return String(name.dropFirst().dropLast())
    }
}
