/// The object store for requests with the operator's credentials, signed by AWS Signature Version 4. Signatures are
/// never sent to any other host.
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
    /// Whether this is the other origin or a subdomain of it, as hosts with a bucket's name are.
    func isWithin(_ other: Origin) -> Bool {
        isSecure == other.isSecure && port == other.port && (host == other.host || host.hasSuffix("." + other.host))
    }
}
