import Addresses

/// Decides which addresses may be connected to. It is consulted when a socket is opened, with the address that the name
/// was resolved to. So neither a redirect nor a name that resolves to another address each time (DNS rebinding) can get
/// around it.
///
/// It permits addresses that are globally reachable unicast by the IANA special-purpose registries (RFC 6890), and the
/// networks that the configuration allows.
struct AddressFilter: Sendable {
    private let allowed: [AddressRange]

    init(allowing allowed: [AddressRange] = []) {
        self.allowed = allowed
    }

    func permits(_ address: IPAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        switch address {
        case .v4:
            return !AddressFilter.refusedV4.contains { $0.contains(address) }
        case .v6(let bits):
            // An address that leads to an IPv4 host is judged like that host: ::ffff:0:0/96 is mapped by the kernel,
            // and 64:ff9b::/96 by the network's translator (NAT64), through which an IPv6-only machine reaches the
            // whole IPv4 Internet.
            if address.unmapped != address || AddressFilter.translated.contains(address) {
                return permits(.v4(UInt32(truncatingIfNeeded: bits)))
            }
            return AddressFilter.globalUnicast.contains(address)
                && !AddressFilter.refusedV6.contains { $0.contains(address) }
        }
    }

    /// Whether the address is in a local network: loopback, private, or shared by a carrier. An object store that the
    /// operator has configured may be there; a source's URLs may not lead there.
    static func isOfOwnNetwork(_ address: IPAddress) -> Bool { ownNetworks.contains { $0.contains(address.unmapped) } }

    /// Whether the address may belong to metadata services of the machine, such as those that issue a role's
    /// credentials.
    static func isOfMetadata(_ address: IPAddress) -> Bool { metadata.contains { $0.contains(address.unmapped) } }

    private static let ownNetworks = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7",
    ].map(range)

    private static let metadata = ["127.0.0.0/8", "169.254.0.0/16", "::1/128", "fd00:ec2::/32"].map(range)

    private static let translated = range("64:ff9b::/96")
    private static let globalUnicast = range("2000::/3")

    private static let refusedV4 = [
        "0.0.0.0/8",  // this network, and the unspecified address
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
        "100.64.0.0/10",  // shared by carriers (CGNAT)
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local, and the metadata services of clouds
        "192.0.0.0/24",  // protocol assignments
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation
        "192.88.99.0/24",  // 6to4 relays
        "198.18.0.0/15",  // benchmarks
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4",  // reserved, and broadcast
    ].map(range)

    /// The exceptions inside 2000::/3. Outside it are the unspecified and loopback addresses and the IPv4-compatible,
    /// unique local, link-local and multicast ones, none of which is globally reachable.
    private static let refusedV6 = [
        "2001::/23",  // protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32", "3fff::/20",  // documentation
        "2002::/16",  // 6to4: any IPv4 address hides in it
    ].map(range)

    private static func range(_ text: String) -> AddressRange {
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is written in this file") }
        return range
    }
}
