import Encodings

/// Names and values in the form of `application/x-www-form-urlencoded` (the URL standard, §5.2). Spaces are encoded as `%20`,
/// which means the same, so that the text also fits into a query.
enum FormEncoding {
    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String { PercentEncoding.encode(text.utf8) }
}
