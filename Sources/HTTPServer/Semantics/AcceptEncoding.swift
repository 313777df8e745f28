/// Which codings of a content a client takes (RFC 9110 §12.5.3).
enum AcceptEncoding {
    /// Whether `coding`, in lower case, is welcome. Without the field it is not: an old or simple client.
    static func allows(_ coding: String, in field: String?) -> Bool {
        guard let field else { return false }
        var wildcard = false
        for item in field.lowercased().split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.drop { $0 == " " || $0 == "\t" } }
            guard let name = parts.first?.split(whereSeparator: { $0 == " " || $0 == "\t" }).first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            // Zero is the one weight that says no.
            let isWelcome = weight.map { $0.contains { ("1"..."9").contains($0) } } ?? true
            if name == coding { return isWelcome }
            if name == "*" { wildcard = isWelcome }
        }
        return wildcard
    }
}
