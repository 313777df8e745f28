/// A refusal by an origin because of too many requests (429 and 503), as one node reports it to the others.
public struct OriginRefusal: Hashable, Sendable {
    /// Scheme, host and port, such as `https://host:443`.
    public let origin: String
    /// The time from sending the refused request until this report: a node that has reduced its requests since then has
    /// already taken it into account.
    public let age: Duration

    public init(origin: String, age: Duration) {
        self.origin = origin
        self.age = age
    }
}
