/// An origin said that it is asked too much (429 and 503), as one of several nodes tells the others.
public struct OriginRefusal: Hashable, Sendable {
    /// Scheme, host and port: `https://host:443`.
    public let origin: String
    /// How long before it was told the refused request had been sent: whoever has asked for less since then has heeded it.
    public let age: Duration

    public init(origin: String, age: Duration) {
        self.origin = origin
        self.age = age
    }
}
