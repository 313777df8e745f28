import Images

/// What a listing says of an object's content.
struct ObjectStamp: Hashable, Sendable {
    /// Bytes.
    let size: Int64
    /// When it was put there: seconds since 1970.
    let modified: Int64
    let version: ContentVersion
}

extension ObjectStamp {
    /// The version is that of the entity tag, by which what is fetched is known, too. Where a store has none, the size and
    /// the time tell a change; what is fetched is then asked for anew each time.
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
