/// What a server or libpq says, fit for a line of a log.
enum ServerWords {
    private static let most = 300

    /// One line without control characters, of bounded length; of the password not even its text, where a server repeats it.
    static func told(_ text: String, password: String?) -> String {
        var line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        line.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        if let password, !password.isEmpty {
            line = line.split(separator: password, omittingEmptySubsequences: false).joined(separator: "…")
        }
        return line.isEmpty ? "the connection has ended" : String(line.prefix(most))
    }
}
