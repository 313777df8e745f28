public import Images
public import Renditions

/// What several machines call a rendition among themselves.
public struct SharedName: Hashable, Sendable {
    public let image: ImageID
    /// Nil for a remote image: the content that its origin has, whichever that is.
    public let version: ContentVersion?
    /// As it was asked for, whatever the size of the picture: not every machine knows that.
    public let rendition: Rendition
    public let format: OutputFormat

    public init(image: ImageID, version: ContentVersion?, rendition: Rendition, format: OutputFormat) {
        self.image = image
        self.version = version
        self.rendition = rendition
        self.format = format
    }

    /// Nil for what is not shared: originals and what has all their pixels stay where they are.
    init?(_ request: LoadRequest) {
        guard request.rendition.longestSide != nil else { return nil }
        guard request.image.location.isFetched || request.image.version != nil else { return nil }
        self.init(
            image: request.image.id, version: request.image.ownVersion, rendition: request.rendition,
            format: request.format)
    }
}
