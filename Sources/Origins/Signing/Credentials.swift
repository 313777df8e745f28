/// What a request is signed with. A secret: it prints as nothing.
struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let accessKey: String
    let secretKey: String
    /// Of credentials that last for a while only.
    let sessionToken: String?
    /// Seconds since 1970; nil for ever.
    let expires: Int64?

    /// Nil for what cannot be a header field's value, or is empty.
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
