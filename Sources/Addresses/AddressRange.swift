/// A network: all addresses that share their first bits (RFC 4632 §3.1, RFC 4291 §2.3).
public struct AddressRange: Hashable, Sendable {
    private let network: IPAddress
    private let prefixLength: Int

    /// Nil unless `text` is in CIDR notation ("10.0.0.0/8", "fd00::/8") or is a single address.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let width = AddressRange.width(of: address)
        guard parts.count == 2 else {
            network = address
            prefixLength = width
            return
        }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(parts[1]), length <= width
        else { return nil }
        network = address
        prefixLength = length
    }

    /// Whether the network contains the address. It never contains an address of the other family.
    public func contains(_ address: IPAddress) -> Bool {
        switch (network, address) {
        case (.v4(let network), .v4(let address)): (network ^ address) >> UInt32(32 - prefixLength) == 0
        case (.v6(let network), .v6(let address)): (network ^ address) >> UInt128(128 - prefixLength) == 0
        default: false
        }
    }

    private static func width(of address: IPAddress) -> Int {
        switch address {
        case .v4: 32
        case .v6: 128
        }
    }
}
