import Loading

extension LoadFailure {
    /// Characters of a message that another machine is believed.
    private static var longestMessage: Int { 200 }

    /// What other machines are told of it: the log's part stays here.
    var text: String {
        let seconds = retryAfter.map { "\(max(0, $0.components.seconds))" } ?? "-"
        return "\(status) \(isPermanent ? 1 : 0) \(seconds) \(publicMessage.prefix(Self.longestMessage))"
    }

    /// Nil for what ``text`` does not make.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let status = Int(parts[0]), (400...599).contains(status),
            ["0", "1"].contains(parts[1]),
            parts[3].utf8.count <= 4 * Self.longestMessage, parts[3].count <= Self.longestMessage,
            parts[3].unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(
            status: status, publicMessage: String(parts[3]), logDetail: "another machine met it",
            retryAfter: Int64(parts[2]).map { .seconds($0) }, isPermanent: parts[1] == "1")
    }
}
