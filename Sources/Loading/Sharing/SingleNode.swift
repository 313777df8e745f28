public import Clients
public import Images
import Renditions
public import Scheduling

/// A node without others: there is nobody to agree with, and nothing is shared.
public struct SingleNode: Coordinating, RenditionTier {
    private struct NoLease: Lease {
        func end(_ outcome: LeaseOutcome) {}
    }

    public init() {}

    public var isSingleNode: Bool { true }
    public var servesSingleNode: Bool { false }

    public func ask(
        _ name: SharedName, level: Priority.Level, bypassesNegativeCache: Bool,
        onEvent: @escaping @Sendable (LeaseEvent) -> Void
    ) -> any Lease {
        onEvent(.alone)
        return NoLease()
    }

    public func announce(made name: SharedName) {}

    public func announce(unshared name: SharedName) {}

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) { found(nil) }

    public func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) { done(false) }
}

extension SingleNode: SessionForwarding {
    public func issue(
        _ tokenRequest: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    ) { answer(.failure(.gone)) }

    public func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) { answer(.success(0)) }

    public func requestForwarding(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<ForwardingReply, ForwardingFailure>) -> Void
    ) { answer(.failure(.gone)) }

    public func announce(_ token: Token, ended end: TokenEnd) {}

    public func revoke(
        _ token: Token, from forwarder: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) { stopped() }
}
