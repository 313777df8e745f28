public import Addresses

/// Who asks: what bounds and fair shares go by. Decided once, where a request comes in, and handed on with it; what a
/// request says of itself, a session for instance, changes nothing of it.
///
/// A client is an IPv4 address or an IPv6 network of 64 bits: whoever has one address of such a network has them all
/// (RFC 4291 §2.5.4), and the ports of an address cost nobody anything.
public struct Client: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress

    public init(_ address: IPAddress) {
        self.address =
            switch address {
            case .v4: address
            // In the first network of all are this machine (::1) and what is IPv4 in truth (RFC 4291 §2.5.5).
            case .v6(let bits) where bits >> 64 == 0: Self.canonical(bits)
            case .v6(let bits): .v6((bits >> 64) << 64)
            }
    }

    private static func canonical(_ bits: UInt128) -> IPAddress {
        bits >> 32 == 0xFFFF ? .v4(UInt32(truncatingIfNeeded: bits)) : .v6(bits)
    }

    /// The address, or the network in CIDR notation.
    public var description: String {
        if case .v6(let bits) = address, bits >> 64 != 0 { return "\(address)/64" }
        return "\(address)"
    }
}
