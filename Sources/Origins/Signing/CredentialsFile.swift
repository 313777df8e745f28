/// The shared credentials file of AWS programs: sections in brackets, with lines of `name = value`.
struct CredentialsFile {
    private var sections: [String: [String: String]] = [:]

    init(_ text: String) {
        var section: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = String(line).trimmed
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[" {
                section = line.last == "]" ? String(line.dropFirst().dropLast()).trimmed : nil
                continue
            }
            guard let section, let sign = line.firstIndex(of: "=") else { continue }
            let name = line[..<sign].trimmed.lowercased()
            sections[section, default: [:]][name] = line[line.index(after: sign)...].trimmed
        }
    }

    /// The profile's credentials; nil if it has no keys.
    func credentials(of profile: String) -> Credentials? {
        guard let section = sections[profile] else { return nil }
        return Credentials(
            accessKey: section["aws_access_key_id"], secretKey: section["aws_secret_access_key"],
            sessionToken: section["aws_session_token"])
    }
}
