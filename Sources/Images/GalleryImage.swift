/// One image of the gallery, as the catalog knows it at one moment.
///
/// Copies share the metadata by reference. An image is copied from a page to a stream's plan and on to loads, and
/// copying some forty members each time would cost more than the work on them.
public struct GalleryImage: Hashable, Sendable {
    /// The stable identifier of the image.
    public let id: ImageID
    /// The content version that the catalog takes as current; nil for a remote image that was never fetched.
    public let version: ContentVersion?
    @usableFromInline let known: Known

    public init(
        id: ImageID, name: String, location: ImageLocation, version: ContentVersion?, metadata: ImageMetadata,
        isDateFromName: Bool = false
    ) {
        self.id = id
        self.version = version
        known = Known(name: name, location: location, metadata: metadata, isDateFromName: isDateFromName)
    }

    /// The same image with another content version.
    public func updating(_ version: ContentVersion) -> GalleryImage {
        GalleryImage(id: id, version: version, known: known)
    }

    private init(id: ImageID, version: ContentVersion, known: Known) {
        self.id = id
        self.version = version
        self.known = known
    }

    /// The display name: a file name, or the last part of a URL.
    @inlinable public var name: String { _read { yield known.name } }
    @inlinable public var location: ImageLocation { _read { yield known.location } }
    @inlinable public var metadata: ImageMetadata { _read { yield known.metadata } }
    /// Whether `metadata.takenAt` was derived from the image's name, because nothing else tells when it was taken.
    @inlinable public var isDateFromName: Bool { known.isDateFromName }

    @usableFromInline final class Known: Hashable, Sendable {
        @usableFromInline let name: String
        @usableFromInline let location: ImageLocation
        @usableFromInline let metadata: ImageMetadata
        @usableFromInline let isDateFromName: Bool

        init(name: String, location: ImageLocation, metadata: ImageMetadata, isDateFromName: Bool) {
            self.name = name
            self.location = location
            self.metadata = metadata
            self.isDateFromName = isDateFromName
        }

        @usableFromInline static func == (left: Known, right: Known) -> Bool {
            left === right
                || left.name == right.name && left.location == right.location && left.metadata == right.metadata
                    && left.isDateFromName == right.isDateFromName
        }

        @usableFromInline func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(location)
            hasher.combine(metadata)
        }
    }
}
