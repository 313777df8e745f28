import Images

/// An image as a scan of a source reports it.
struct ScannedImage: Sendable, Hashable {
    /// The path beneath the folder or the bucket's prefix (see `FilePath`), or the URL.
    var location: String
    var original: Original
    /// The sidecars of a file, and their contents.
    var sidecars = SidecarVersion.none
    /// Values stated by a list; used until the image itself has been read.
    var stated = Stated()

    /// The kind of the original, and the facts that identify its content without reading it.
    enum Original: Sendable, Hashable {
        /// A file, with its inode number, by which it is recognised under another name.
        case file(FileStamp, inode: UInt64?)
        /// A URL: nothing is known before it is fetched.
        case url
        case object(ObjectStamp)
    }

    struct Stated: Sendable, Hashable {
        var name: String?
        /// In pixels.
        var width: Int?
        var height: Int?
        /// In the format of RFC 3339.
        var takenAt: String?
    }

    /// Whether a viewer sees the same image; a file that only got another inode number is the same.
    func isSamePicture(as other: Self) -> Bool {
        location == other.location && stated == other.stated && sidecars == other.sidecars
            && original.isSameContent(as: other.original)
    }
}

extension ScannedImage.Original {
    /// The current content version as the source states it; nil if the source does not know it.
    var version: ContentVersion? {
        switch self {
        case .file(let stamp, _): stamp.version
        case .url: nil
        case .object(let stamp): stamp.version
        }
    }

    /// The size in bytes, if the source knows it.
    var size: Int64? {
        switch self {
        case .file(let stamp, _): stamp.size
        case .url: nil
        case .object(let stamp): stamp.size
        }
    }

    /// The display name of an original at this location.
    func name(at location: String) -> String {
        switch self {
        case .file, .object: FilePath.name(of: location)
        case .url: WebAddress.name(of: location)
        }
    }

    /// The folder that contains it; empty at the top level, and for URLs.
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
