public import Images

/// A file of a folder that has not been looked into as it is now.
public struct UnexaminedFile: Sendable, Hashable {
    public let image: ImageID
    /// The ordinal in `ImageLocation.file`.
    public let folder: Int
    /// The path in `ImageLocation.file`.
    public let path: String
    /// What the catalog believes to be its present content.
    public let version: ContentVersion
    /// Its row of the index, and which index that is.
    let row: UInt32
    let index: ObjectIdentifier
}
