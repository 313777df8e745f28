public import Clients

/// Determines from which client's address a request comes.
public protocol ClientIdentifying: Sendable {
    /// Whether `peer` is a trusted proxy. If so, the limit of connections per client does not apply to it, and each
    /// of its requests is attributed separately.
    func isProxy(_ peer: SocketAddress) -> Bool

    /// The client whose request a proxy forwards. Called on the loop; must not block.
    func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> ClientAddress
}

/// Every peer is a client of its own; there are no proxies.
public struct DirectPeers: ClientIdentifying {
    public init() {}

    public func isProxy(_ peer: SocketAddress) -> Bool { false }
    public func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> ClientAddress { proxy.client }
}
