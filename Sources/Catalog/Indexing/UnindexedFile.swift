public import Images

/// A file of a folder whose present content has not been indexed.
public struct UnindexedFile: Sendable, Hashable {
    public let image: ImageID
    /// The ordinal in `ImageLocation.file`.
    public let folder: Int
    /// The path in `ImageLocation.file`.
    public let path: String
    /// The content version that the catalog takes as current.
    public let version: ContentVersion
    /// The sidecars that the catalog has found.
    public let sidecars: SidecarVersion
    /// The file's row, and the index that has it.
    let row: UInt32
    let index: ObjectIdentifier
}
