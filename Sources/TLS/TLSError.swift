/// Why TLS cannot be used, for the log.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
