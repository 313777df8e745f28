import Encodings

/// The progress of the metadata indexer.
struct IndexingProgress: JSONWritable, Hashable {
    /// Files whose present content is indexed.
    var done = 0
    /// All local files.
    var total = 0

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("done", done)
            json.member("total", total)
        }
    }
}
