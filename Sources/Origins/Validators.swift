import HTTPDates

/// What names one version of a representation (RFC 9110 §8.8), kept in the origin's own spelling so that it can be sent
/// back unchanged.
public struct Validators: Hashable, Sendable, Codable {
    /// The `ETag` field, with its quotes and its `W/` if it has one.
    public var entityTag: String?
    /// The `Last-Modified` field.
    public var lastModified: String?

    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// `Last-Modified` in seconds since 1970, where it can be read.
    public var modified: Int64? { lastModified.flatMap { HTTPDate($0)?.seconds } }

    /// Whether there is nothing to compare with.
    public var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The entity tag if it is a strong one: only then are two answers that bear it the same bytes (RFC 9110 §8.8.1).
    public var strongEntityTag: String? {
        guard let entityTag, entityTag.utf8.count >= 2, entityTag.hasPrefix("\""), entityTag.hasSuffix("\"") else {
            return nil
        }
        return entityTag
    }

    /// The fields of a conditional request, of those validators that are fit to be sent; nil if there is none.
    var sendable: [String]? {
        var fields: [String] = []
        if let entityTag, Validators.isFieldValue(entityTag) { fields.append("If-None-Match: \(entityTag)") }
        if let lastModified, Validators.isFieldValue(lastModified) {
            fields.append("If-Modified-Since: \(lastModified)")
        }
        return fields.isEmpty ? nil : fields
    }

    /// Short, and without what could end the line and begin another.
    private static func isFieldValue(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}
