/// The location of an image's original. Known only to the server, never to clients.
public enum ImageLocation: Hashable, Sendable {
    /// A file beneath the root of the folder source with this ordinal; `path` is relative to that root.
    case file(folder: Int, path: String)
    /// An image to fetch from an origin by http or https; only its origin knows the present content version.
    case remote(url: String)
    /// An object of the bucket source with this ordinal; `path` is relative to the source's prefix. It is fetched by
    /// http or https with the operator's credentials, and a bucket listing tells its present content version.
    case object(bucket: Int, path: String, url: String)
}

extension ImageLocation {
    /// The ordinal of the folder source that contains a local file; nil for a remote original.
    public var folder: Int? {
        if case .file(let folder, _) = self { folder } else { nil }
    }
}
