/// One picture of the gallery as the catalog knows it at this moment.
public struct GalleryImage: Hashable, Sendable {
    public let id: ImageID
    /// What people call it: a file name, or the last part of a URL.
    public let name: String
    public let location: ImageLocation
    /// The content that the catalog believes current; nil for a remote image never fetched.
    public let version: ContentVersion?
    public let facts: ImageFacts

    public init(
        id: ImageID, name: String, location: ImageLocation, version: ContentVersion?, facts: ImageFacts
    ) {
        self.id = id
        self.name = name
        self.location = location
        self.version = version
        self.facts = facts
    }
}
