public import Addresses
public import Clients

extension SocketAddress {
    /// The address without its port and zone.
    public var address: IPAddress {
        switch ip {
        case .v4(let bits): .v4(bits)
        case .v6(let high, let low, _): .v6(UInt128(high) << 64 | UInt128(low))
        }
    }

    /// The client's address, unless this is a proxy.
    public var client: ClientAddress { ClientAddress(address) }
}
