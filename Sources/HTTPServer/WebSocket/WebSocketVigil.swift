/// Watches over how long a client says nothing, and how long it takes to close: spans of time in, what is to be done
/// out, no clock.
struct WebSocketVigil: Sendable {
    enum Verdict: Hashable, Sendable {
        case wait
        /// Ask for a sign of life.
        case ping
        /// It has been silent for too long.
        case isSilent
        /// It has not answered the Close frame in time.
        case isOverdue
    }

    private let configuration: WebSocketConfiguration
    // Nil until the next look, from which they are counted: so no limit is ever too short.
    private var silence: Duration?
    private var sincePing: Duration?
    private var closing: Duration?

    init(_ configuration: WebSocketConfiguration) {
        self.configuration = configuration
    }

    /// The client has said something.
    mutating func heard() {
        silence = nil
        sincePing = nil
    }

    /// Looks now; `elapsed` since the last time.
    mutating func look(_ elapsed: Duration, isClosing: Bool) -> Verdict {
        func count(_ time: inout Duration?) -> Duration {
            let counted = time.map { $0 + elapsed } ?? .zero
            time = counted
            return counted
        }
        if isClosing { return count(&closing) > configuration.closeTimeout ? .isOverdue : .wait }
        guard count(&silence) <= configuration.silenceLimit else { return .isSilent }
        guard count(&sincePing) > configuration.pingInterval else { return .wait }
        sincePing = nil
        return .ping
    }
}
