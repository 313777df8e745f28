import Images
import Renditions

/// A request for one rendition of one image.
public struct LoadRequest: Hashable, Sendable {
    public var image: GalleryImage
    public var rendition: Rendition
    /// The output format of the rendition. Originals are sent unchanged.
    public var format: OutputFormat
    /// Renditions that will be requested next, with their output formats. If this rendition must be rendered, they are
    /// made from the same decode and cached.
    public var next: [Rendition: OutputFormat]
    /// The content version by which the caller knows the image. A stored pyramid of this version is served without
    /// asking the origin or the disk for the present version.
    public var named: ContentVersion?
    /// Nobody waits for the rendition. It is stored on disk only, so that it evicts nothing from memory.
    public var isPrefill: Bool
    /// Bypasses the negative cache, because a person asked for another try.
    public var bypassesNegativeCache: Bool
    /// A preview may be the thumbnail that a camera embedded in a JPEG, unchanged: it needs no worker, but has several
    /// times as many bytes, and is always a JPEG.
    public var acceptsThumbnail: Bool
    /// The original must be complete before any of it is delivered. Others may be delivered while they still arrive.
    public var needsWholeOriginal: Bool

    public init(
        image: GalleryImage, rendition: Rendition, format: OutputFormat, next: [Rendition: OutputFormat] = [:],
        named: ContentVersion? = nil, isPrefill: Bool = false, bypassesNegativeCache: Bool = false,
        acceptsThumbnail: Bool = false, needsWholeOriginal: Bool = false
    ) {
        self.image = image
        self.rendition = rendition
        self.format = format
        self.next = next
        self.named = named
        self.isPrefill = isPrefill
        self.bypassesNegativeCache = bypassesNegativeCache
        self.acceptsThumbnail = acceptsThumbnail
        self.needsWholeOriginal = needsWholeOriginal
    }
}
