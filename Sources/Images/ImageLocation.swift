/// Where the original of an image is kept. Known to the server alone; clients never see it.
public enum ImageLocation: Hashable, Sendable {
    /// A file beneath the root of the folder source with this ordinal; `path` is relative to that root.
    case file(folder: Int, path: String)
    /// A picture to be fetched from an origin by http or https; only its origin knows which content is the present one.
    case remote(url: String)
    /// An object of the bucket source with this ordinal; `path` is relative to the source's prefix. It is fetched by http or
    /// https in the name of the gallery's operator, and a listing tells its present content.
    case object(bucket: Int, path: String, url: String)
}
