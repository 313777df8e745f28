/// Where images come from.
public enum Source: Hashable, Sendable {
    /// A folder with all its sub-folders.
    case folder(path: String)
    /// A file that lists URLs.
    case list(path: String, format: ListFormat)
    /// As many URLs as the template's count, each with its index in place of `{index}`.
    case template(URLTemplate)
    /// The objects of a bucket, or those beneath a prefix.
    case bucket(BucketAddress)

    /// The format of a URL list; determined by the file name's extension.
    public enum ListFormat: String, Hashable, Sendable, CaseIterable {
        /// One URL per line; skips blank lines and lines that begin with `#`.
        case text = "txt"
        /// RFC 4180, with or without a header, separated by commas, semicolons, or tabs.
        case csv
        /// One JSON value per line: the URL, or an object with `url` and optionally `name`, `width`, `height` and
        /// `takenAt`.
        case jsonLines = "jsonl"

        /// - Parameter ending: A file name's extension in lower case. `tsv` is CSV with tabs.
        init?(ending: String) { self.init(rawValue: ending == "tsv" ? "csv" : ending) }
    }
}
