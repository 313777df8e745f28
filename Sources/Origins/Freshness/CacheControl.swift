/// The directives of a `Cache-Control` field that matter to a private cache (RFC 9111 §5.2.2). `s-maxage` and the like
/// concern shared caches.
struct CacheControl: Hashable, Sendable {
    private(set) var noStore = false
    private(set) var noCache = false
    private(set) var mustRevalidate = false
    /// In seconds; 0 if the value cannot be parsed, because a response with an invalid value should count as stale
    /// (§4.2.1).
    private(set) var maxAge: Int64?

    init(_ field: String) {
        for directive in CacheControl.split(field) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch parts[0].trimmed.lowercased() {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "max-age":
                let seconds = parts.count == 2 ? DeltaSeconds.parse(parts[1].trimmed.unquoted) ?? 0 : 0
                maxAge = min(maxAge ?? seconds, seconds)
            default: break
            }
        }
    }

    /// Splits a list at its commas, except inside quoted strings (RFC 9110 §5.6.1).
    private static func split(_ field: String) -> [Substring] {
        var quoted = false
        var escaped = false
        return field.split { character in
            if escaped {
                escaped = false
            } else if quoted, character == "\\" {
                escaped = true
            } else if character == "\"" {
                quoted.toggle()
            } else {
                return character == "," && !quoted
            }
            return false
        }
    }
}

/// A number of seconds in a field (RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// Nil unless `text` consists of digits. Overflow gives 2^31, as the RFC demands.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int64(text) ?? 1 << 31, 1 << 31)
    }
}

extension StringProtocol {
    /// Without white space at both ends (RFC 9110 §5.6.3).
    var trimmed: String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    fileprivate var unquoted: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : String(self)
    }
}
