/// The store that is asked in the operator's name, with signatures of AWS' fourth version. No other host ever gets one.
public struct ObjectStore: Hashable, Sendable {
    /// Scheme, host and port.
    public var endpoint: String
    public var region: String
    public var credentials: CredentialSettings

    public init(endpoint: String, region: String, credentials: CredentialSettings) {
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
    }
}

extension Origin {
    /// Whether this is the other, or a host beneath it, as those are that have a bucket's name.
    func isWithin(_ other: Origin) -> Bool {
        isSecure == other.isSecure && port == other.port && (host == other.host || host.hasSuffix("." + other.host))
    }
}
