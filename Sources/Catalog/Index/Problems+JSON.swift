import Encodings

// How the index stores the problems of a source.

extension CatalogState.Problems: JSONWritable, JSONReadable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("count", count)
            json.member("first", first)
        }
    }

    public init(_ json: JSONField) throws(JSONFieldError) {
        count = try json.required("count").integer(in: 0...Int.max)
        first = try json.required("first").list(CatalogState.Problem.init)
    }
}

extension CatalogState.Problem: JSONWritable, JSONReadable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("source", source)
            json.member("line", line)
            json.member("path", path)
            json.member("reason", reason)
        }
    }

    public init(_ json: JSONField) throws(JSONFieldError) {
        source = try json["source"]?.text()
        line = try json["line"]?.integer()
        path = try json["path"]?.text()
        reason = try json.required("reason").text()
    }
}
