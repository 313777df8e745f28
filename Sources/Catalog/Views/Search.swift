import Encodings
import Time

/// A search as a person types it: words that must all occur in an image's texts, and terms such as
/// `taken:2019-06..2019-08`. A quoted word may contain spaces; a `-` before a word or term excludes its matches.
public struct Search: Hashable, Sendable {
    /// The typed text, with single spaces.
    public let text: String
    let terms: [Term]

    struct Term: Hashable, Sendable {
        var isExcluded = false
        let kind: Kind
    }

    enum Kind: Hashable, Sendable {
        /// Folded; matches anywhere in the texts of the image or its folder.
        case word([UInt8])
        /// A date in words, such as "June 2019": matches where all words do, folded, and where the picture was taken in
        /// this range of seconds since 1970 by the local clock there.
        case date([[UInt8]], taken: ClosedRange<Int64>)
        /// Folded; matches the beginning of a component of the folder's path.
        case folder([UInt8])
        /// Folded; matches in the names of the camera and the lens.
        case camera([UInt8])
        /// Folded; matches in the name of the lens.
        case lens([UInt8])
        /// A range of ISO speeds.
        case sensitivity(ClosedRange<UInt32>)
        /// The subtype of a media type, such as `jpeg`.
        case type(MediaKind)
        /// A range of seconds since 1970 by the local clock at the place where the picture was taken.
        case taken(ClosedRange<Int64>)
        /// A day of the year, in any year: its month and its number in it.
        case anniversary(month: Int, day: Int)
        /// A range of stars; -1 is rejected, 0 not rated.
        case rating(ClosedRange<Int>)
        case near(latitude: Double, longitude: Double, kilometres: Double)
        case broken
    }

    /// Matches everything.
    public init() {
        text = ""
        terms = []
    }

    // The terms follow from the text.
    public static func == (left: Self, right: Self) -> Bool { ExactText(left.text) == ExactText(right.text) }
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }

    public var isEmpty: Bool { terms.isEmpty }

    /// The maximum length of a search in Unicode scalars.
    public static let maximumLength = 250

    /// - Throws: `ViewError` with the word that cannot be parsed.
    public init(_ typed: String) throws(ViewError) {
        func check(_ text: String) throws(ViewError) {
            guard text.unicodeScalars.count <= Self.maximumLength else {
                throw ViewError(field: "q", reason: "must have at most \(Self.maximumLength) characters.")
            }
        }
        try check(typed)
        let words = Self.words(of: typed)
        text = words.map(\.written).joined(separator: " ")
        // Checked again: an unclosed quotation gets its closing mark, which makes the text longer.
        try check(text)
        var terms: [Term] = []
        var rest = words[...]
        while let word = rest.first {
            if let (count, term) = Self.date(beginning: rest) {
                terms.append(term)
                rest = rest.dropFirst(count)
            } else {
                if let term = try Self.term(of: word) { terms.append(term) }
                rest = rest.dropFirst()
            }
        }
        self.terms = terms
    }

    private struct Word {
        var written = ""
        var isExcluded = false
        var isQuoted = false
        /// The text before a colon outside quotes.
        var key: String?
        var value = ""

        /// Whether it can be a part of a date: what is quoted is meant as it is written.
        var isPlain: Bool { !isQuoted && key == nil }
    }

    /// Works on scalars, because a combining mark after a space or quotation mark would form one character with it.
    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        var word = Word()
        var isQuoted = false
        func end() {
            if !word.written.isEmpty { words.append(word) }
            word = Word()
        }
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace, !isQuoted {
                end()
                continue
            }
            // Searchable texts contain no newlines.
            let scalar = Character(scalar).isNewline ? " " : scalar
            word.written.unicodeScalars.append(scalar)
            switch scalar {
            case "\"":
                isQuoted.toggle()
                word.isQuoted = true
            case "-" where word.written == "-" && !isQuoted: word.isExcluded = true
            case ":" where !isQuoted && word.key == nil && Self.keys.contains(word.value.lowercased()):
                word.key = word.value.lowercased()
                word.value = ""
            default: word.value.unicodeScalars.append(scalar)
            }
        }
        if isQuoted { word.written.append("\"") }
        end()
        return words
    }

    private static let keys: Set<String> = [
        "taken", "on", "folder", "type", "camera", "lens", "iso", "near", "rating", "is",
    ]

    /// The date that the words begin with, and the number of its words.
    private static func date(beginning words: ArraySlice<Word>) -> (count: Int, term: Term)? {
        guard let first = words.first, first.isPlain else { return nil }
        let plain = words.prefix(while: \.isPlain)
        guard let (count, span) = PlainDate.beginning(plain.map(\.value)) else { return nil }
        // A `-` excludes one word.
        guard count == 1 || !plain.prefix(count).contains(where: \.isExcluded) else { return nil }
        let folded = plain.prefix(count).map { Folding.fold($0.value.filter { $0 != "," }) }
        return (count, Term(isExcluded: first.isExcluded, kind: .date(folded, taken: span)))
    }

    private static func term(of word: Word) throws(ViewError) -> Term? {
        func unknown(_ reason: String) -> ViewError {
            ViewError(field: "q", reason: "has \(word.written), \(reason)", word: word.written)
        }
        func made(_ kind: Kind) -> Term { Term(isExcluded: word.isExcluded, kind: kind) }
        let folded = Folding.fold(word.value)
        switch word.key {
        case nil:
            // A word that is still being typed may be empty.
            return folded.isEmpty ? nil : made(.word(folded))
        case "folder": return folded.isEmpty ? nil : made(.folder(folded))
        case "camera": return folded.isEmpty ? nil : made(.camera(folded))
        case "lens": return folded.isEmpty ? nil : made(.lens(folded))
        case "iso":
            guard !word.value.isEmpty else { return nil }
            guard let range = Sensitivity.range(word.value) else {
                throw unknown(
                    "but an ISO speed is expected, such as iso:400, iso:100..800, or iso:3200.. (3200 and up).")
            }
            return made(.sensitivity(range))
        case "type":
            guard !word.value.isEmpty else { return nil }
            guard let kind = MediaKind(name: word.value.lowercased()) else {
                throw unknown(
                    "which is not a known file type. Known types: \(MediaKind.names.joined(separator: ", ")).")
            }
            return made(.type(kind))
        case "is":
            guard !word.value.isEmpty else { return nil }
            guard word.value.lowercased() == "broken" else { throw unknown("but only is:broken is supported.") }
            return made(.broken)
        case "taken":
            guard !word.value.isEmpty else { return nil }
            guard let range = WallTime.range(word.value) else {
                throw unknown(
                    "but a date is expected, such as 2019, 2019-06, 2019-06-30, or a range such as 2019-06..2019-08.")
            }
            return made(.taken(range))
        case "on":
            guard !word.value.isEmpty else { return nil }
            // A leap year has all days.
            guard word.value.utf8.count == 5, let day = WallTime.day("2000-" + word.value) else {
                throw unknown("but a month and day are expected, such as on:06-30.")
            }
            return made(.anniversary(month: day.month, day: day.day))
        case "rating":
            guard !word.value.isEmpty else { return nil }
            guard let range = Rating.range(word.value) else {
                throw unknown(
                    "but a rating is expected, such as rating:4, rating:3..5, rating:3.., rating:0 (not rated), or "
                        + "rating:-1 (rejected).")
            }
            return made(.rating(range))
        default:
            guard !word.value.isEmpty else { return nil }
            guard let near = near(word.value) else {
                throw unknown(
                    "but a place is expected, such as near:48.86,2.35, or with a radius near:48.86,2.35,5km.")
            }
            return made(near)
        }
    }

    private static func near(_ text: String) -> Kind? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        var radius = 10.0
        if parts.count == 3 {
            let number = parts[2].hasSuffix("km") ? parts[2].dropLast(2) : parts[2]
            guard let given = Double(number), given > 0, given <= 20_100 else { return nil }
            radius = given
        }
        return .near(latitude: latitude, longitude: longitude, kilometres: radius)
    }
}
