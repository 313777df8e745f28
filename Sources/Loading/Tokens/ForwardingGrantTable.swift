import Clients
import Images

/// The tokens forwarded to other nodes, and their number per client. A pure value. Every step except ``lapsed(by:)``
/// takes constant time.
struct ForwardingGrantTable: Sendable {
    struct Grant: Sendable {
        let forwarder: NodeTag
        let session: SessionID
        let client: Client
        var until: Duration
    }

    private var grants: [Token: Grant] = [:]
    private var held = Tally<Client>()

    var count: Int { grants.count }
    var isEmpty: Bool { grants.isEmpty && held.holderCount == 0 }

    subscript(_ token: Token) -> Grant? { grants[token] }

    /// - Parameter bound: How many of its client's tokens may be forwarded.
    /// - Returns: Whether the bound allows another grant.
    mutating func add(_ grant: Grant, of token: Token, upTo bound: Int) -> Bool {
        guard held.take(for: grant.client, upTo: bound) else { return false }
        grants[token] = grant
        return true
    }

    mutating func extend(_ token: Token, until moment: Duration) { grants[token]?.until = moment }

    @discardableResult
    mutating func remove(_ token: Token) -> Grant? {
        guard let grant = grants.removeValue(forKey: token) else { return nil }
        held.giveBack(by: grant.client)
        return grant
    }

    /// The tokens whose grants were not renewed in time.
    func lapsed(by now: Duration) -> [Token] { grants.filter { $0.value.until < now }.map(\.key) }
}
