public import Addresses

/// Whoever a request counts for in limits and fair queueing. Determined once, when the request is admitted, from verified
/// credentials or from the address, and passed on with it. A session of pictures that a request names does not change it.
///
/// So whoever is signed in is one client on all devices and with all app tokens, and people who share an address do not share
/// their limits. Visitors of shares count by address: otherwise somebody with many links would be many clients.
public enum Client: Hashable, Sendable {
    case address(ClientAddress)
    /// By the account's number.
    case account(UInt32)

    /// The client at this address about whom nothing else is known.
    public init(_ address: IPAddress) { self = .address(ClientAddress(address)) }
}

extension Client: LosslessStringConvertible {
    private static let accountPrefix = "account:"

    /// The text in messages between nodes.
    public var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .account(let number): "\(Self.accountPrefix)\(number)"
        }
    }

    /// Nil unless `description` is a client in canonical form.
    public init?(_ description: String) {
        if description.hasPrefix(Self.accountPrefix) {
            guard let number = UInt32(description.dropFirst(Self.accountPrefix.count)) else { return nil }
            self = .account(number)
        } else {
            guard let address = ClientAddress(description) else { return nil }
            self = .address(address)
        }
        guard self.description == description else { return nil }
    }
}
