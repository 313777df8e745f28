/// What the log says when the metadata indexer has nothing left to do.
struct IndexingReport: CustomStringConvertible {
    /// All local files.
    let total: Int
    /// Files that could not be read now and will be tried again.
    let postponed: Int
    /// Files read since the last report. A file that changed meanwhile counts each time it was read, and a file that is
    /// gone since counts too, so this may exceed `total`.
    let read: Int
    /// How many of the files in `read` cannot be displayed.
    let broken: Int

    var description: String {
        var sentences = [
            postponed == 0
                ? "All \(total) images are indexed."
                : "\(max(0, total - postponed)) of \(total) images are indexed; \(postponed) cannot be read now and will be"
                    + " tried again."
        ]
        // The broken files are counted among those just read: `total` may be smaller.
        if broken > 0 { sentences.append("Of the \(read) just read, \(broken) cannot be displayed.") }
        return sentences.joined(separator: " ")
    }
}
