/// A run of URLs that differ by a number alone: `https://example.org/{index}.jpg` with a count of 3 stands for
/// `…/0.jpg`, `…/1.jpg` and `…/2.jpg`. The number counts from 0, like the `index` of the API.
public struct URLTemplate: Hashable, Sendable {
    public static let placeholder = "{index}"
    /// The most images that a template stands for.
    public static let maximumCount = 1_000_000_000

    public let pattern: String
    public let count: Int

    /// - Throws: `CatalogError.badSource` when there is no `{index}`, the count is not 1 to `maximumCount`, or what
    ///   the template makes is not a URL that can be fetched.
    public init(_ pattern: String, count: Int) throws(CatalogError) {
        self.pattern = pattern
        self.count = count
        guard pieces.count > 1 else {
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
                _ = try WebAddress.parse(rawURL(at: index).utf8)
            } catch {
                throw .badSource(word: pattern, reason: "\(error.reason).")
            }
        }
    }

    /// The URL of the image with this index, from 0.
    func url(at index: Int) -> String {
        let raw = rawURL(at: index)
        // What the first and the last pass, all pass: they differ by digits alone.
        return (try? WebAddress.parse(raw.utf8)) ?? raw
    }

    /// What people may call the image: the file's name where it has the number in it, else a name made of the number.
    func name(at index: Int) -> String {
        let last = pattern.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
        return last.contains(Self.placeholder) ? WebAddress.name(of: url(at: index)) : "Image \(index)"
    }

    private var pieces: [Substring] { pattern.split(separator: Self.placeholder, omittingEmptySubsequences: false) }

    private func rawURL(at index: Int) -> String { pieces.joined(separator: String(index)) }
}
