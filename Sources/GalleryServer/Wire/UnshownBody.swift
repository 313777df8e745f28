import Catalog
import Encodings
import Images

/// How many files and objects are not shown because of their kind.
struct UnshownBody: JSONWritable {
    let counts: UnshownCounts

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("count", counts.total)
            json.member("kinds", counts.kinds.map { Kind(kind: $0.kind, count: $0.count) })
        }
    }

    private struct Kind: JSONWritable {
        let kind: UnshownKind
        let count: Int

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("kind", kind.name)
                json.member("title", kind.title)
                json.member("count", count)
            }
        }
    }
}
