/// One pattern in the syntax of `gitignore(5)`.
///
/// | form | matches |
/// | --- | --- |
/// | `name` | the name at any depth |
/// | `a/name`, `/name` | the path from the pattern's folder on |
/// | `name/` | folders only |
/// | `*`, `?`, `[a-z]`, `[!a-z]`, `[[:digit:]]` | any characters, one, or one of a set; never `/` |
/// | `**/`, `/**/`, `/**` | any number of folders; at the end, everything inside |
/// | `!pattern` | what an earlier pattern matched is shown after all |
/// | `\*` | the character itself |
///
/// Upper and lower case differ, as in Linux file names. A value without I/O. Matching takes at most the product of the
/// lengths of pattern and path in steps: both kinds of star backtrack to the last star only, which suffices because a
/// star that begins later can match whatever an earlier one could.
struct GlobPattern: Hashable, Sendable {
    /// Why a text is not a pattern; for people.
    struct Invalid: Error, Hashable, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }

    /// In Unicode scalars.
    static let maximumLength = 1024

    /// One component of a path.
    private enum Part: Hashable {
        /// `**`: any number of folders.
        case folders
        case name([GlobToken])
    }

    /// Whether it shows again what earlier patterns left out.
    let isNegated: Bool
    /// Whether it matches folders only.
    let isForFolders: Bool
    private let parts: [Part]

    /// - Returns: Nil for a blank line or a comment.
    /// - Throws: `Invalid` if the text can match nothing, or probably not what its author wants.
    init?(_ line: String) throws(Invalid) {
        var text = Array(line.unicodeScalars)
        if text.last == "\r" { text.removeLast() }
        Self.removeTrailingSpaces(&text)
        guard let first = text.first, first != "#" else { return nil }
        guard text.count <= Self.maximumLength else {
            throw Invalid(reason: "is longer than \(Self.maximumLength) characters")
        }
        isNegated = first == "!"
        if isNegated { text.removeFirst() }
        isForFolders = text.last == "/"
        if isForFolders { text.removeLast() }
        guard !text.isEmpty else { throw Invalid(reason: "names nothing") }
        let isAnchored = text.contains("/")
        if text.first == "/" { text.removeFirst() }
        var parts: [Part] = isAnchored ? [] : [.folders]
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        for (number, name) in names.enumerated() {
            guard !name.isEmpty else { throw Invalid(reason: "has an empty name between two slashes") }
            guard !name.elementsEqual(".".unicodeScalars), !name.elementsEqual("..".unicodeScalars) else {
                throw Invalid(reason: "has . or .. in it; patterns begin at the folder they are for")
            }
            guard names.count > 1, name.elementsEqual("**".unicodeScalars) else {
                parts.append(.name(try GlobToken.tokens(of: Array(name))))
                continue
            }
            if parts.last != .folders { parts.append(.folders) }
            // At the end, `**` is everything inside, but not the folder itself.
            if number == names.count - 1 { parts.append(.name([.anything])) }
        }
        self.parts = parts
    }

    /// Whether the pattern matches a path.
    ///
    /// - Parameter path: The components beneath the pattern's folder; see ``scalars(of:)``.
    func matches(_ path: ArraySlice<[UInt32]>, isFolder: Bool) -> Bool {
        guard isFolder || !isForFolders, let last = path.last else { return false }
        // The usual case: a name at any depth.
        if parts.count == 2, parts[0] == .folders, case .name(let tokens) = parts[1] {
            return GlobToken.match(tokens, last)
        }
        var (place, part) = (path.startIndex, 0)
        var star: (place: Int, part: Int)?
        while place < path.endIndex {
            if part < parts.count, parts[part] == .folders {
                part += 1
                star = (place, part)
                continue
            }
            if part < parts.count, case .name(let tokens) = parts[part], GlobToken.match(tokens, path[place]) {
                part += 1
                place += 1
                continue
            }
            guard let last = star else { return false }
            star = (last.place + 1, last.part)
            (place, part) = (last.place + 1, last.part)
        }
        return part == parts.count
    }

    /// A name in the form in which it is compared: its Unicode scalars. A byte that is not UTF-8 becomes one scalar.
    static func scalars(of name: some Collection<UInt8>) -> [UInt32] {
        if name.allSatisfy({ $0 < 0x80 }) { return name.map(UInt32.init) }
        return FilePath.text(of: Array(name)).unicodeScalars.map(\.value)
    }

    private static func removeTrailingSpaces(_ text: inout [Unicode.Scalar]) {
        while text.last == " " {
            // An escaped space counts; an escaped backslash before the space does not escape it.
            let backslashes = text.dropLast().reversed().prefix { $0 == "\\" }.count
            guard backslashes.isMultiple(of: 2) else { return }
            text.removeLast()
        }
    }
}
