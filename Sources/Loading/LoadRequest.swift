import Images
import Renditions

/// What is wanted: one rendition of one image.
public struct LoadRequest: Hashable, Sendable {
    public var image: GalleryImage
    public var rendition: Rendition
    /// How the rendition is to be encoded. Originals come as they are.
    public var format: OutputFormat
    /// Renditions that are wanted next, and how they are to be encoded: where this one has to be made, they are made of
    /// the same decoding, and kept.
    public var next: [Rendition: OutputFormat]
    /// The content that whoever asks knows the image by: a pyramid that is kept of it serves, whatever its origin or its
    /// disk would say of the present one.
    public var named: ContentVersion?
    /// Nobody waits for it: what is made is kept on disk alone, and takes nobody's place in memory.
    public var isForLater: Bool
    /// Tries again what failed for good a moment ago: a person asked for it.
    public var bypassNegativeCache: Bool

    public init(
        image: GalleryImage, rendition: Rendition, format: OutputFormat, next: [Rendition: OutputFormat] = [:],
        named: ContentVersion? = nil, isForLater: Bool = false, bypassNegativeCache: Bool = false
    ) {
        self.image = image
        self.rendition = rendition
        self.format = format
        self.next = next
        self.named = named
        self.isForLater = isForLater
        self.bypassNegativeCache = bypassNegativeCache
    }
}
