public import Addresses

/// Where requests come from, as far as an address tells: an IPv4 address or an IPv6 /64 network, because the owner of one
/// address in such a network has all of them (RFC 4291 §2.5.4). Ports do not count, because an address can use any number of
/// them.
public struct ClientAddress: Hashable, Sendable, LosslessStringConvertible {
    private let address: IPAddress

    public init(_ address: IPAddress) {
        self.address =
            switch address.unmapped {
            // The first /64 network contains this machine itself (::1), so its addresses are distinguished.
            case .v6(let bits) where bits >> 64 != 0: .v6((bits >> 64) << 64)
            case let alone: alone
            }
    }

    /// Nil unless `description` is in canonical form.
    public init?(_ description: String) {
        guard let address = IPAddress(String(description.prefix { $0 != "/" })) else { return nil }
        self.init(address)
        guard self.description == description else { return nil }
    }

    /// The network that belongs to one site, as far as an address tells: an IPv4 address, or an IPv6 /48, the largest
    /// that a site is usually given (RFC 6177 §2). Such a site has 65,536 client addresses.
    public struct Site: Hashable, Sendable {
        fileprivate let address: IPAddress
    }

    /// The site that the address belongs to.
    public var site: Site {
        guard case .v6(let bits) = address, bits >> 64 != 0 else { return Site(address: address) }
        return Site(address: .v6((bits >> 80) << 80))
    }

    /// The address, or the network in CIDR notation.
    public var description: String {
        if case .v6(let bits) = address, bits >> 64 != 0 { return "\(address)/64" }
        return "\(address)"
    }
}
