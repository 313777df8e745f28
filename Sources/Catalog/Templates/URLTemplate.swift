/// A run of URLs that differ by a number alone: `https://example.org/{index}.jpg` with a count of 3 stands for
/// `…/0.jpg`, `…/1.jpg` and `…/2.jpg`. The number counts from 0, like the `index` of the API.
public struct URLTemplate: Hashable, Sendable {
    public static let placeholder = "{index}"
    /// The most images that a template stands for.
    public static let maximumCount = 1_000_000_000

    public let pattern: String
    public let count: Int
    /// What stands before, between and after the numbers of a URL as it is fetched: hundreds are made for each page.
    private let pieces: [String]
    /// The same of a name; nil where a name is another for each number, or has to be read out of the URL.
    private let namePieces: [String]?

    /// - Throws: `CatalogError.badSource` when there is no `{index}`, the count is not 1 to `maximumCount`, or what
    ///   the template makes is not a URL that can be fetched.
    public init(_ pattern: String, count: Int) throws(CatalogError) {
        self.pattern = pattern
        self.count = count
        let path = pattern.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        pieces = Self.pieces(of: WebAddress.percentEncoded(Array(pattern.utf8.prefix { $0 != UInt8(ascii: "#") })[...]))
        let isPlain = !last.contains("%") && last == FilePath.printable(last)
        namePieces = isPlain && last.contains(Self.placeholder) ? Self.pieces(of: last) : nil
        guard pattern.contains(Self.placeholder) else {
            throw .badSource(
                word: pattern,
                reason:
                    "a URL must have \(Self.placeholder) where the number goes, and --count says how many there are."
                    + " To show single URLs, write them into a .txt file, one a line, and name that file.")
        }
        guard (1...Self.maximumCount).contains(count) else {
            throw .badSource(word: pattern, reason: "--count must be 1 to \(Self.maximumCount), not \(count).")
        }
        for index in [0, count - 1] {
            do {
                _ = try WebAddress.parse(pattern.replacing(Self.placeholder, with: String(index)).utf8)
            } catch {
                throw .badSource(word: pattern, reason: "\(error.reason).")
            }
        }
    }

    private static func pieces(of text: String) -> [String] {
        text.split(separator: placeholder, omittingEmptySubsequences: false).map(String.init)
    }

    /// The URL of the image with this index, from 0: what the first and the last pass, all pass, for they differ by digits
    /// alone.
    func url(at index: Int) -> String { Self.text(of: pieces, number: index) }

    /// What people may call the image: the file's name where it has the number in it, else a name made of the number.
    func name(at index: Int) -> String {
        if let namePieces { return Self.text(of: namePieces, number: index) }
        let last = pattern.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
        return last.contains(Self.placeholder) ? WebAddress.name(of: url(at: index)) : "Image \(index)"
    }

    private static func text(of pieces: [String], number: Int) -> String {
        let number = String(number)
        var text = pieces[0]
        text.reserveCapacity(pieces.reduce(0) { $0 + $1.utf8.count + number.utf8.count })
        for piece in pieces.dropFirst() {
            text += number
            text += piece
        }
        return text
    }
}
