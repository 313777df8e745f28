import Images

/// An image as a source names it while it is read.
struct Sighting: Sendable, Hashable {
    /// The path beneath the folder or the bucket's prefix (see `FilePath`), or the URL.
    var location: String
    var original: Original
    /// What a list states of it; believed until the picture itself is looked into.
    var stated = Stated()

    /// What kind of thing the original is, and what is known of its content without looking into it.
    enum Original: Sendable, Hashable {
        /// A file; beside its stamp its number in its file system, by which it is known when it has another name.
        case file(FileStamp, inode: UInt64?)
        /// What a URL names: nothing is known of it before it is fetched.
        case url
        case object(ObjectStamp)
    }

    struct Stated: Sendable, Hashable {
        var name: String?
        /// Pixels.
        var width: Int?
        var height: Int?
        /// RFC 3339.
        var takenAt: String?
    }

    /// Whether whoever looks sees the same picture: a file by another number is the same.
    func isSamePicture(as other: Self) -> Bool {
        location == other.location && stated == other.stated && original.isSameContent(as: other.original)
    }
}

extension Sighting.Original {
    /// The content that the source says is the present one; nil where it does not know.
    var version: ContentVersion? {
        switch self {
        case .file(let stamp, _): stamp.version
        case .url: nil
        case .object(let stamp): stamp.version
        }
    }

    /// Bytes, where the source knows.
    var size: Int64? {
        switch self {
        case .file(let stamp, _): stamp.size
        case .url: nil
        case .object(let stamp): stamp.size
        }
    }

    /// What people may call an original at this location.
    func name(at location: String) -> String {
        switch self {
        case .file, .object: FilePath.name(of: location)
        case .url: WebAddress.name(of: location)
        }
    }

    /// The folder that it lies in; empty for what lies at the top, and for what lies in none.
    func folder(of location: String) -> String {
        switch self {
        case .file, .object: FilePath.folder(of: location)
        case .url: ""
        }
    }

    fileprivate func isSameContent(as other: Self) -> Bool {
        switch (self, other) {
        case (.file(let stamp, _), .file(let other, _)): stamp == other
        case (.object(let stamp), .object(let other)): stamp.version == other.version && stamp.size == other.size
        default: self == other
        }
    }
}
