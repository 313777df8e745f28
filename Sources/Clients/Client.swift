public import Addresses

/// The sender of requests, who owns limits and fair shares. Determined once, when a request arrives, and passed on with
/// it; nothing that a request states about itself, such as a session, changes it.
///
/// A client is an IPv4 address or an IPv6 /64 network: the owner of one address in such a network has all of them (RFC
/// 4291 §2.5.4). Ports do not count, because an address can use any number of them.
public struct Client: Hashable, Sendable, LosslessStringConvertible {
    private let address: IPAddress

    public init(_ address: IPAddress) {
        self.address =
            switch address.unmapped {
            // The first /64 network contains this machine itself (::1), so its addresses are distinguished.
            case .v6(let bits) where bits >> 64 != 0: .v6((bits >> 64) << 64)
            case let alone: alone
            }
    }

    /// Nil unless `description` is a client in canonical form.
    public init?(_ description: String) {
        guard let address = IPAddress(String(description.prefix { $0 != "/" })) else { return nil }
        self.init(address)
        guard self.description == description else { return nil }
    }

    /// The network that belongs to one site, as far as an address tells: an IPv4 address, or an IPv6 /48, the largest
    /// that a site is usually given (RFC 6177 §2). Such a site has 65,536 clients.
    public struct Site: Hashable, Sendable {
        fileprivate let address: IPAddress
    }

    /// The site that the client belongs to.
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
