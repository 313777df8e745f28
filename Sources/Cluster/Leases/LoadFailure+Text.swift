import Loading

extension LoadFailure {
    /// The longest message accepted from another node, in characters.
    private static var longestMessage: Int { 200 }

    /// The form that other nodes receive. The detail for the log is left out.
    var text: String {
        let seconds = retryAfter.map { "\(max(0, $0.components.seconds))" } ?? "-"
        return "\(status) \(isPermanent ? 1 : 0) \(seconds) \(publicMessage.prefix(Self.longestMessage))"
    }

    /// Nil unless `text` has the form that ``text`` produces.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let status = Int(parts[0]), (400...599).contains(status),
            ["0", "1"].contains(parts[1]),
            parts[3].utf8.count <= 4 * Self.longestMessage, parts[3].count <= Self.longestMessage,
            parts[3].unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(
            status: status, publicMessage: String(parts[3]), logDetail: "reported by another node",
            retryAfter: Int64(parts[2]).map { .seconds($0) }, isPermanent: parts[1] == "1")
    }
}
