public import Images
public import Renditions

/// The name of a rendition between nodes.
public struct SharedName: Hashable, Sendable {
    public let image: ImageID
    /// The content version; nil for a remote image, which means the present content at its origin.
    public let version: ContentVersion?
    /// The requested rendition, regardless of the image's size, because not every node knows that.
    public let rendition: Rendition
    public let format: OutputFormat

    public init(image: ImageID, version: ContentVersion?, rendition: Rendition, format: OutputFormat) {
        self.image = image
        self.version = version
        self.rendition = rendition
        self.format = format
    }

    /// Nil for requests that are not shared: originals, and renditions with all pixels.
    init?(_ request: LoadRequest) {
        guard request.rendition.longestSide != nil else { return nil }
        guard request.image.location.isFetched || request.image.version != nil else { return nil }
        self.init(
            image: request.image.id, version: request.image.ownVersion, rendition: request.rendition,
            format: request.format)
    }
}
