/// How a client checks a server, and how it identifies itself.
public struct TLSSettings: Hashable, Sendable {
    /// A PEM file with the trusted certificate authorities; nil for those that the system trusts.
    public var authorities: String?
    /// A PEM file with the client's certificate, followed by its chain if there is one; nil for none.
    public var certificate: String?
    /// A PEM file with the private key of ``certificate``; nil if that file contains it, too.
    public var key: String?
    /// Whether the server's certificate is verified: signed by a trusted authority, and valid for the server's name. If
    /// not, anyone who can intercept the traffic can read and change it.
    public var verifiesServer = true

    public init() {}
}
