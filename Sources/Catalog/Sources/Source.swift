/// Where images come from.
public enum Source: Hashable, Sendable {
    /// A folder with all its sub-folders.
    case folder(path: String)
    /// A file of URLs.
    case list(path: String, format: ListFormat)
    /// As many URLs as the template's count, each with its index in the place of `{index}`.
    case template(URLTemplate)
    /// The objects of a bucket, or those beneath a prefix.
    case bucket(BucketAddress)

    /// How a list is written; told by the end of the file's name.
    public enum ListFormat: String, Hashable, Sendable, CaseIterable {
        /// One URL a line; blank lines and lines that begin with `#` are skipped.
        case text = "txt"
        /// RFC 4180, with or without a header.
        case csv
        /// A JSON value a line: the URL, or an object with `url` and, where known, `name`, `width`, `height`, `takenAt`.
        case jsonLines = "jsonl"
    }
}
