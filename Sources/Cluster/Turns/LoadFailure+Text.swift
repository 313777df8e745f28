import Loading

extension LoadFailure {
    /// What other machines are told of it: the log's part stays here.
    var text: String {
        let seconds = retryAfter.map { "\(max(0, $0.components.seconds))" } ?? "-"
        return "\(status) \(isPermanent ? 1 : 0) \(seconds) \(publicMessage.prefix(200))"
    }

    /// Nil for what ``text`` does not make.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let status = Int(parts[0]), (400...599).contains(status), ["0", "1"].contains(parts[1])
        else { return nil }
        self.init(
            status: status, publicMessage: String(parts[3]), logDetail: "another machine met it",
            retryAfter: Int64(parts[2]).map { .seconds($0) }, isPermanent: parts[1] == "1")
    }
}
