/// How a token ended.
public enum TokenEnd: String, CaseIterable, Hashable, Sendable {
    /// Every byte was handed to the connection.
    case delivered
    /// The slot no longer wanted it.
    case cancelled
    /// The picture cannot be had, or its sending broke.
    case failed
}

/// The life of one token: forward only, and with exactly one end. A pure value.
struct TokenLife: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The client was told of it; nothing has been begun.
        case issued
        /// Its load waits in the loader's lines.
        case queued
        /// Its content is there, or a request waits for it.
        case loading
        /// Its request is being answered with bytes.
        case sending
        case ended(TokenEnd)

        /// Its place in the order of a life.
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

    /// Each step answers whether it was taken: only from an earlier phase, never from an end.
    mutating func queue() -> Bool { step(to: .queued) }
    mutating func load() -> Bool { step(to: .loading) }
    mutating func send() -> Bool { step(to: .sending) }

    mutating func end(_ end: TokenEnd) -> Bool {
        guard isLive else { return false }
        // What was never sent cannot have been delivered.
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
