import Time

/// The validators of one version of a representation (RFC 9110 §8.8), in the origin's own spelling, so that they can be
/// sent back unchanged.
public struct Validators: Hashable, Sendable {
    /// The `ETag` field, including quotes and a `W/` prefix if it has one.
    public var entityTag: String?
    /// The `Last-Modified` field.
    public var lastModified: String?

    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// `Last-Modified` in seconds since 1970; nil if it is missing or cannot be parsed.
    public var modified: Int64? { lastModified.flatMap { HTTPDate($0)?.seconds } }

    /// Whether there are no validators.
    public var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The entity tag if it is strong. Only strong tags guarantee that two responses have the same bytes (RFC 9110
    /// §8.8.1).
    public var strongEntityTag: String? {
        guard let entityTag, entityTag.utf8.count >= 2, entityTag.hasPrefix("\""), entityTag.hasSuffix("\"") else {
            return nil
        }
        return entityTag
    }

    /// The fields of a conditional request, as far as the validators can safely be sent; nil if there are none.
    var sendable: [String]? {
        var fields: [String] = []
        if let entityTag, Validators.isFieldValue(entityTag) { fields.append("If-None-Match: \(entityTag)") }
        if let lastModified, Validators.isFieldValue(lastModified) {
            fields.append("If-Modified-Since: \(lastModified)")
        }
        return fields.isEmpty ? nil : fields
    }

    /// Whether the text is short, and contains nothing that could end the line and begin another.
    static func isFieldValue(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}
