import Images
import Synchronization

extension Catalog: FactsLedger {
    public func position(in log: String, isAnew: Bool) throws -> Int64 {
        try onDisk { try $0.position(in: log, isAnew: isAnew) }
    }

    public func untold(limit: Int) throws -> UntoldFacts { try onDisk { try $0.untold(limit: limit) } }

    public func told(_ facts: UntoldFacts) throws { try onDisk { try $0.told(facts) } }

    public func countUntold() throws -> Int { try onDisk { try $0.countUntold() } }

    public func heard(_ facts: [SharedFacts], of log: String, after former: Int64, upTo position: Int64) throws {
        try write(facts, .log(log, former: former, position: position))
    }

    public func heard(_ facts: [SharedFacts]) throws { try write(facts, .apart) }

    private func write(_ facts: [SharedFacts], _ hearing: Index.Hearing) throws {
        let learnt = facts.map { ($0.image, Learnt(facts: $0.facts.bounded, version: $0.version)) }
        try shelf.write(Dictionary(learnt, uniquingKeysWith: { $1 }), hearing: hearing)
        for fact in facts { recent.forget(fact.image) }
    }

    /// Those of the files that have not been looked into all the same, as far as it can be told now. Blocking, on the
    /// thread of ``unexamined(after:limit:)``.
    public func unexamined(of files: [UnexaminedFile]) -> [UnexaminedFile] {
        let index = shelf.disk
        let rows = files.filter { $0.index == ObjectIdentifier(index) }.map { (row: $0.row, source: $0.folder) }
        var left: [UnexaminedFile] = []
        for start in stride(from: 0, to: rows.count, by: Self.rowsAtOnce) {
            guard let some = try? unexamined(Array(rows[start..<min(start + Self.rowsAtOnce, rows.count)]), in: index)
            else { return files }
            left += some
        }
        // What has changed meanwhile is given out anew.
        return left.filter(Set(files).contains)
    }

    private func onDisk<Value>(_ body: (Index) throws -> Value) throws -> Value {
        let index = shelf.disk
        guard !index.isDamaged.load(ordering: .relaxed) else { throw CatalogError.indexUnavailable }
        return try body(index)
    }
}
