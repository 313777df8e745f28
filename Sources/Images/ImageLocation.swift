/// Where the original of an image is kept. Known to the server alone; clients never see it.
public enum ImageLocation: Hashable, Sendable {
    /// A file beneath the root of the folder source with this ordinal; `path` is relative to that root.
    case file(folder: Int, path: String)
    /// A picture to be fetched from an origin by http or https.
    case remote(url: String)
}
