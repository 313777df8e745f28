/// Why Redis cannot be used.
struct RedisOutage: Hashable, Sendable {
    /// For the log.
    let reason: String
    /// For anybody: without the server's own words, which may name users and keys, and without hosts and files.
    let publicReason: String

    init(_ reason: String, publicReason: String? = nil) {
        self.reason = reason
        self.publicReason = publicReason ?? reason
    }

    /// Of several servers, none can be used.
    init(_ outages: [(host: RedisAddress.Host?, reason: RedisOutage)]) {
        guard outages.count > 1 else {
            self = outages.first?.reason ?? RedisOutage("no address is known")
            return
        }
        reason = outages.map { host, outage in (host.map { "\($0): " } ?? "") + outage.reason }.joined(separator: "; ")
        var told: [String] = []
        for (_, outage) in outages where !told.contains(outage.publicReason) { told.append(outage.publicReason) }
        publicReason = told.joined(separator: "; ")
    }

    static let replica = RedisOutage("it is a read-only replica")

    /// The server replies to a command of the greeting with this error, which begins with a code.
    static func refused(_ command: String, _ text: String) -> RedisOutage {
        let code = "it refuses \(command): \(text.prefix { $0.isUppercase })"
        // Some servers repeat the password in the text.
        guard command != "AUTH" else { return RedisOutage(code) }
        return RedisOutage("it refuses \(command): \(text.prefix(200))", publicReason: code)
    }
}
