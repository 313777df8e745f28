/// Credentials for signing. Their description contains no secrets, so that none can get into a log.
struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let accessKey: String
    let secretKey: String
    /// For temporary credentials.
    let sessionToken: String?
    /// In seconds since 1970; nil for credentials that do not expire.
    let expires: Int64?

    /// Nil if a value is empty, or cannot be the value of a header field.
    init?(accessKey: String?, secretKey: String?, sessionToken: String?, expires: Int64? = nil) {
        guard let accessKey, let secretKey, Self.isWord(accessKey), Self.isWord(secretKey),
            sessionToken.map(Self.isWord) ?? true
        else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expires = expires
    }

    var description: String { "credentials" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }

    private static func isWord(_ text: String) -> Bool {
        (1...16_384).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
