/// A sequence of URLs that differ only by a number: `https://example.org/{index}.jpg` with a count of 3 means
/// `…/0.jpg`, `…/1.jpg` and `…/2.jpg`. The first number may be another, and `{index:04}` stands for numbers with at
/// least four digits.
public struct URLTemplate: Hashable, Sendable {
    public static let placeholder = "{index}"
    /// The maximum number of images of a template.
    public static let maximumCount = 1_000_000_000
    /// The largest first number.
    public static let maximumFirst = 1_000_000_000_000

    public let pattern: String
    public let count: Int
    /// The number in the URL of the image with index 0 of the API.
    public let first: Int
    /// The URL in the form to fetch. Prepared once, because each page needs hundreds of URLs.
    private let url: NumberedText
    /// The display name; nil if the name does not contain the number, or has to be decoded from the URL.
    private let name: NumberedText?

    /// - Throws: `CatalogError.badSource` if there is no `{index}`, the count is not 1 to `maximumCount`, the first
    ///   number is not 0 to `maximumFirst`, or the resulting URLs cannot be fetched.
    public init(_ pattern: String, count: Int, first: Int = 0) throws(CatalogError) {
        func bad(_ reason: String) -> CatalogError { .badSource(word: pattern, reason: reason) }
        (self.pattern, self.count, self.first) = (pattern, count, first)
        guard Self.isTemplate(pattern) else {
            throw bad(
                "a URL must have \(Self.placeholder) where the number goes, and --count says how many there are."
                    + " To show single URLs, list them in a .txt file, one per line, and name that file.")
        }
        guard let text = NumberedText(pattern) else {
            throw bad(
                "write \(Self.placeholder) where the number goes, or {index:04} for at least four digits (up to 18)."
                    + " Write other braces as %7B and %7D.")
        }
        guard (1...Self.maximumCount).contains(count) else {
            throw bad("--count must be 1 to \(Self.maximumCount), not \(count).")
        }
        guard (0...Self.maximumFirst).contains(first) else {
            throw bad("--first must be 0 to \(Self.maximumFirst), not \(first).")
        }
        for number in [first, first + count - 1] {
            do throws(WebAddress.Fault) {
                _ = try WebAddress.parse(text.text(number).utf8)
            } catch {
                throw bad("\(error.reason).")
            }
        }
        guard let url = Self.encoded(pattern) else {
            throw bad("the number must not be part of an international host name; write the name in its xn-- form.")
        }
        self.url = url
        let last = Self.lastComponent(pattern)
        let isPlain = !last.contains { "%\\".contains($0) } && last == FilePath.printable(last)
        name = isPlain ? NumberedText(last).flatMap { $0.hasNumber ? $0 : nil } : nil
    }

    /// Whether a text is meant as a template, even if it is not a valid one.
    static func isTemplate(_ text: String) -> Bool { text.contains("{index") }

    /// The URL of the image with this index, from 0. The first and the last URL were checked in `init`; the others
    /// differ only by digits, so they are valid too.
    func url(at index: Int) -> String { url.text(first + index) }

    /// The display name of the image: the file name if it contains the number, else a name with the number.
    func name(at index: Int) -> String {
        if let name { return name.text(first + index) }
        return Self.isTemplate(Self.lastComponent(pattern))
            ? WebAddress.name(of: url(at: index)) : "Image \(first + index)"
    }

    private static func lastComponent(_ pattern: String) -> String {
        pattern.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The URL as `WebAddress.parse` returns it for each number; nil if that cannot be prepared.
    private static func encoded(_ pattern: String) -> NumberedText? {
        let bytes = Array(pattern.utf8.prefix { $0 != UInt8(ascii: "#") })
        let end = WebAddress.authorityEnd(of: bytes)
        var start = String(decoding: bytes[..<end], as: UTF8.self)
        if !start.utf8.allSatisfy({ $0 < 0x80 }) {
            guard !isTemplate(start), let converted = try? WebAddress.parse(start.utf8) else { return nil }
            start = converted
        }
        var encoder = WebAddress.TargetEncoder()
        return NumberedText(start + String(decoding: bytes[end...], as: UTF8.self))?
            .mappingPieces { encoder.encode($0.utf8) }
    }
}
