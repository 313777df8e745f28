/// Makes messages of servers and of libpq fit for a log line.
enum ServerMessage {
    private static let maximumLength = 300

    /// One line of bounded length, without control characters. The password is removed in case the server repeats it.
    static func redacted(_ text: String, password: String?) -> String {
        var line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        line.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        if let password, !password.isEmpty {
            line = line.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
        }
        return line.isEmpty ? "the connection has ended" : String(line.prefix(maximumLength))
    }
}
