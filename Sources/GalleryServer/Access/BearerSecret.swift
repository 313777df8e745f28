import Encodings

/// A secret in an `Authorization` field: a bearer token (RFC 6750 §2.1), or a password with any user name (RFC 7617 §2), for
/// programs that support nothing else.
enum BearerSecret {
    private static let longest = 4096

    /// Nil if the field has another scheme or is malformed.
    static func text(in field: String) -> String? {
        guard field.utf8.count <= longest else { return nil }
        let scheme = field.prefix { $0 != " " }
        let rest = String(field.dropFirst(scheme.count).drop { $0 == " " })
        switch scheme.lowercased() {
        case "bearer": return rest
        case "basic":
            guard let pair = Base64.standard.decode(rest), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
                return nil
            }
            return String(validating: pair[pair.index(after: colon)...], as: UTF8.self)
        default: return nil
        }
    }
}
