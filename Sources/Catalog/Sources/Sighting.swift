/// An image as a source names it while it is read.
struct Sighting: Sendable, Hashable {
    /// The path beneath the folder (see `FilePath`), or the URL.
    var location: String
    /// The file's size and time of change; nil for a URL.
    var stamp: FileStamp?
    /// What a list states of it; believed until the picture itself is looked into.
    var stated = Stated()
    /// The file's number in its file system, by which it is known when it has another name; nil for a URL.
    var inode: UInt64?

    struct Stated: Sendable, Hashable {
        var name: String?
        /// Pixels.
        var width: Int?
        var height: Int?
        /// RFC 3339.
        var takenAt: String?
    }
}
