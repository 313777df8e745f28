public import Clients

/// Tells whose requests a connection brings.
public protocol ClientRecognising: Sendable {
    /// Whether `peer` asks for others: the bound of a client's connections is not for it, and each of its requests is
    /// asked whose it is.
    func isProxy(_ peer: SocketAddress) -> Bool

    /// Whose request it is that a proxy hands on. Called on the loop; must not block.
    func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> Client
}

/// Everybody asks for itself.
public struct PeersAlone: ClientRecognising {
    public init() {}

    public func isProxy(_ peer: SocketAddress) -> Bool { false }
    public func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> Client { proxy.client }
}
