public import Images

/// A run of images of a view, in the order of one revision.
public struct Page: Sendable, Hashable {
    /// The maximum number of images in a page.
    public static let maximumLimit = 500

    public let view: View
    public let revision: UInt64
    /// The number of images in the whole view.
    public let total: Int
    /// The position of the page's first image.
    public let offset: Int
    public let images: [GalleryImage]
    /// The cursor of the next page; nil at the end. During a scan the end is not known, so a page may be empty and
    /// still have a `next`: request it a little later.
    public let next: Cursor?
}
