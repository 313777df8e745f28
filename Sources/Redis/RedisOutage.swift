/// Why Redis cannot be used.
struct RedisOutage: Hashable, Sendable {
    /// For the log.
    let reason: String
    /// Safe to publish: omits the server's error text, which may name users and keys, and hosts and files.
    let publicReason: String

    init(_ reason: String, publicReason: String? = nil) {
        self.reason = reason
        self.publicReason = publicReason ?? reason
    }

    /// None of several servers can be used.
    init(_ outages: [(host: RedisAddress.Host?, reason: RedisOutage)]) {
        guard outages.count > 1 else {
            self = outages.first?.reason ?? RedisOutage("no address is known")
            return
        }
        reason = outages.map { host, outage in (host.map { "\($0): " } ?? "") + outage.reason }.joined(separator: "; ")
        var publicReasons: [String] = []
        for (_, outage) in outages where !publicReasons.contains(outage.publicReason) {
            publicReasons.append(outage.publicReason)
        }
        publicReason = publicReasons.joined(separator: "; ")
    }

    static let replica = RedisOutage("it is a read-only replica")

    /// The server replies to a command sent during connection setup with this error, which begins with a code.
    static func refused(_ command: String, _ text: String) -> RedisOutage {
        let code = "it rejected \(command): \(text.prefix { $0.isUppercase })"
        // Some servers repeat the password in the text.
        guard command != "AUTH" else { return RedisOutage(code) }
        return RedisOutage("it rejected \(command): \(text.prefix(200))", publicReason: code)
    }
}
