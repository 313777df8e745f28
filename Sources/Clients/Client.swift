public import Addresses

/// Who asks: what bounds and fair shares go by. Decided once, where a request comes in, and handed on with it; what a
/// request says of itself, a session for instance, changes nothing of it.
///
/// A client is an IPv4 address or an IPv6 network of 64 bits: whoever has one address of such a network has them all
/// (RFC 4291 §2.5.4), and the ports of an address cost nobody anything.
public struct Client: Hashable, Sendable, LosslessStringConvertible {
    private let address: IPAddress

    public init(_ address: IPAddress) {
        self.address =
            switch address.unmapped {
            // In the first network of all is this machine (::1): there the addresses are told apart.
            case .v6(let bits) where bits >> 64 != 0: .v6((bits >> 64) << 64)
            case let alone: alone
            }
    }

    /// Nil unless `description` is a client in its one written form.
    public init?(_ description: String) {
        guard let address = IPAddress(String(description.prefix { $0 != "/" })) else { return nil }
        self.init(address)
        guard self.description == description else { return nil }
    }

    /// The address, or the network in CIDR notation.
    public var description: String {
        if case .v6(let bits) = address, bits >> 64 != 0 { return "\(address)/64" }
        return "\(address)"
    }
}
