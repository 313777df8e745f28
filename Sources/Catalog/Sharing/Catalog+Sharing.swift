import Images
import Synchronization

extension Catalog: MetadataOutbox {
    public func position(in log: String, isAnew: Bool) throws -> Int64 {
        try onDisk { try $0.position(in: log, isAnew: isAnew) }
    }

    public func unpublished(limit: Int) throws -> UnpublishedMetadata {
        try onDisk { try $0.unpublished(limit: limit) }
    }

    public func published(_ metadata: UnpublishedMetadata) throws { try onDisk { try $0.published(metadata) } }

    public func countUnpublished() throws -> Int { try onDisk { try $0.countUnpublished() } }

    public func received(_ metadata: [SharedMetadata], of log: String, after former: Int64, upTo position: Int64) throws
    {
        try write(metadata, .log(log, former: former, position: position))
    }

    public func received(_ metadata: [SharedMetadata]) throws { try write(metadata, .direct) }

    private func write(_ metadata: [SharedMetadata], _ origin: Index.Provenance) throws {
        let learned = metadata.map { ($0.image, LearnedMetadata(metadata: $0.metadata.bounded, version: $0.version)) }
        try indexStore.write(Dictionary(learned, uniquingKeysWith: { $1 }), origin: origin)
        for fact in metadata { recent.forget(fact.image) }
    }

    /// The files among these that are still not indexed, as far as that can be read now. Blocking; call it on the
    /// thread of ``unindexed(after:limit:)``.
    public func unindexed(of files: [UnindexedFile]) -> [UnindexedFile] {
        let index = indexStore.disk
        let rows = files.filter { $0.index == ObjectIdentifier(index) }.map { (row: $0.row, source: $0.folder) }
        var left: [UnindexedFile] = []
        for start in stride(from: 0, to: rows.count, by: Self.rowsAtOnce) {
            guard let some = try? unindexed(Array(rows[start..<min(start + Self.rowsAtOnce, rows.count)]), in: index)
            else { return files }
            left += some
        }
        // Files that have changed meanwhile are given out again as new ones.
        return left.filter(Set(files).contains)
    }

    private func onDisk<Value>(_ body: (Index) throws -> Value) throws -> Value {
        let index = indexStore.disk
        guard !index.isDamaged.load(ordering: .relaxed) else { throw CatalogError.indexUnavailable }
        return try body(index)
    }
}
