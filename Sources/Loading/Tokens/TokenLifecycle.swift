/// How a token ended.
public enum TokenEnd: String, CaseIterable, Hashable, Sendable {
    /// Every byte was handed to the connection.
    case delivered
    /// The slot no longer wanted it.
    case cancelled
    /// The image could not be loaded, or sending it failed.
    case failed
}

/// The life of one token: it only moves forward and has exactly one end. A pure value.
struct TokenLifecycle: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The token was issued to the client, and no work has begun.
        case issued
        /// Its load waits in the loader's queues.
        case queued
        /// Its content has arrived, or a request waits for it.
        case loading
        /// Its bytes are being sent as a response.
        case sending
        case ended(TokenEnd)

        /// The position of the phase in a token's life.
        fileprivate var number: Int {
            switch self {
            case .issued: 0
            case .queued: 1
            case .loading: 2
            case .sending: 3
            case .ended: 4
            }
        }
    }

    private(set) var phase = Phase.issued

    var isLive: Bool {
        if case .ended = phase { return false }
        return true
    }

    var end: TokenEnd? {
        if case .ended(let end) = phase { return end }
        return nil
    }

    /// Each step returns whether it was taken. It can only be taken from an earlier phase, and never after the end.
    mutating func queue() -> Bool { step(to: .queued) }
    mutating func load() -> Bool { step(to: .loading) }
    mutating func send() -> Bool { step(to: .sending) }

    mutating func end(_ end: TokenEnd) -> Bool {
        guard isLive else { return false }
        // A token that was never sent cannot have been delivered.
        guard end != .delivered || phase == .sending else { return false }
        phase = .ended(end)
        return true
    }

    private mutating func step(to next: Phase) -> Bool {
        guard phase.number < next.number else { return false }
        phase = next
        return true
    }
}
