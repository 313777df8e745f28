public import Addresses

/// The sender of requests, who owns limits and fair shares. Determined once, when a request arrives, and passed on with it;
/// nothing that a request states about itself, such as a session, changes it.
///
/// Whoever is signed in is one client on all devices, and people who share an address do not share their limits.
public enum Client: Hashable, Sendable {
    /// Somebody who is not known otherwise.
    case address(ClientAddress)
    /// A person who is signed in; by the account's number.
    case account(UInt32)
    /// A program with a token of its own, which does not take anything from the person who made the token; by the token's
    /// id.
    case appToken(String)
    /// Somebody who follows a link to a share; by the share's id. Many people may follow the same one.
    case visitor(share: String, ClientAddress)

    /// The client at this address about whom nothing else is known.
    public init(_ address: IPAddress) { self = .address(ClientAddress(address)) }
}

extension Client: LosslessStringConvertible {
    /// The text in messages between nodes: without spaces.
    public var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .account(let number): "account:\(number)"
        case .appToken(let id): "token:\(id)"
        case .visitor(let share, let address): "share:\(share)@\(address)"
        }
    }

    /// Nil unless `description` is a client in canonical form.
    public init?(_ description: String) {
        // Addresses contain colons, too.
        let (kind, rest) = Self.split(description, at: ":")
        switch (kind, rest) {
        case ("account", let rest?):
            guard let number = UInt32(rest) else { return nil }
            self = .account(number)
        case ("token", let rest?) where Self.isID(rest): self = .appToken(rest)
        case ("share", let rest?):
            let (share, text) = Self.split(rest, at: "@")
            guard Self.isID(share), let address = text.flatMap(ClientAddress.init) else { return nil }
            self = .visitor(share: share, address)
        default:
            guard let address = ClientAddress(description) else { return nil }
            self = .address(address)
        }
        guard self.description == description else { return nil }
    }

    private static let longestID = 32

    private static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func split(_ text: String, at separator: Character) -> (String, String?) {
        guard let place = text.firstIndex(of: separator) else { return (text, nil) }
        return (String(text[..<place]), String(text[text.index(after: place)...]))
    }
}
