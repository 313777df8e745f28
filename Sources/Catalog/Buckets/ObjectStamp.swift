import Images

/// What a bucket listing says about an object's content.
struct ObjectStamp: Hashable, Sendable {
    /// In bytes.
    let size: Int64
    /// When the object was stored, in seconds since 1970.
    let modified: Int64
    let version: ContentVersion
}

extension ObjectStamp {
    /// The version is derived from the entity tag, as it is for fetched originals. For stores without usable entity
    /// tags it is derived from size and time; originals are then revalidated each time.
    init(_ object: BucketObject) {
        size = object.size
        modified = object.modified
        if let tag = object.entityTag, tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count > 2 {
            version = ContentVersion(strongEntityTag: tag)
        } else {
            version = ContentVersion(fileSize: object.size, modifiedSeconds: object.modified, nanoseconds: 0)
        }
    }
}
