public import Images

/// A run of images of a view, in the order of one revision.
public struct Page: Sendable, Hashable {
    /// The most images that one page has.
    public static let maximumLimit = 500

    public let view: View
    public let revision: UInt64
    /// Images of the whole view.
    public let total: Int
    /// The index of the first image of the page.
    public let offset: Int
    public let images: [GalleryImage]
    /// Where the next page begins; nil at the end. While the catalog is still being read the end is not known, so a
    /// page may be empty and yet have a `next`: ask again a little later.
    public let next: Cursor?
}
