public import Clients
public import Images
import Renditions
public import Scheduling

/// One machine by itself: nobody to agree with, and nothing shared.
public struct Alone: Coordinating, RenditionTier {
    private struct NoTurn: Turn {
        func end(_ outcome: TurnOutcome) {}
    }

    public init() {}

    public var isAlone: Bool { true }
    public var servesAlone: Bool { false }

    public func ask(
        _ name: SharedName, urgency: Priority.Lane, insists: Bool, hear: @escaping @Sendable (TurnNews) -> Void
    ) -> any Turn {
        hear(.alone)
        return NoTurn()
    }

    public func tell(made name: SharedName) {}

    public func tell(unshared name: SharedName) {}

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) { found(nil) }

    public func keep(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) { done(false) }
}

extension Alone: SessionRelaying {
    public func issue(
        _ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void
    ) { answer(.failure(.gone)) }

    public func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) { answer(.success(0)) }

    public func borrow(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<Lending, RelayFailure>) -> Void
    ) { answer(.failure(.gone)) }

    public func tell(_ token: Token, ended end: TokenEnd) {}

    public func recall(
        _ token: Token, from borrower: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) { stopped() }
}
