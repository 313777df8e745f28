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
    }
}
