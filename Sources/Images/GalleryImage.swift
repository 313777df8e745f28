/// One picture of the gallery as the catalog knows it at this moment.
///
/// A copy shares what is known with the value it is a copy of. It goes from a page to a stream's plan and on to loads, and to
/// copy some forty members each time would cost more than what is done with them.
public struct GalleryImage: Hashable, Sendable {
    public let id: ImageID
    /// The content that the catalog believes current; nil for a remote image never fetched.
    public let version: ContentVersion?
    @usableFromInline let known: Known

    public init(
        id: ImageID, name: String, location: ImageLocation, version: ContentVersion?, facts: ImageFacts
    ) {
        self.id = id
        self.version = version
        known = Known(name: name, location: location, facts: facts)
    }

    /// The same picture, showing another content.
    public func showing(_ version: ContentVersion) -> GalleryImage {
        GalleryImage(id: id, version: version, known: known)
    }

    private init(id: ImageID, version: ContentVersion, known: Known) {
        self.id = id
        self.version = version
        self.known = known
    }

    /// What people call it: a file name, or the last part of a URL.
    @inlinable public var name: String { _read { yield known.name } }
    @inlinable public var location: ImageLocation { _read { yield known.location } }
    @inlinable public var facts: ImageFacts { _read { yield known.facts } }

    @usableFromInline final class Known: Hashable, Sendable {
        @usableFromInline let name: String
        @usableFromInline let location: ImageLocation
        @usableFromInline let facts: ImageFacts

        init(name: String, location: ImageLocation, facts: ImageFacts) {
            self.name = name
            self.location = location
            self.facts = facts
        }

        @usableFromInline static func == (left: Known, right: Known) -> Bool {
            left === right || left.name == right.name && left.location == right.location && left.facts == right.facts
        }

        @usableFromInline func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(location)
            hasher.combine(facts)
        }
    }
}
