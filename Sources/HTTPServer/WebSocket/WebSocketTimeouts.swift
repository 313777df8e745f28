/// Decides when a client has been silent for too long, or takes too long to close. A pure value: elapsed times go in,
/// actions come out.
struct WebSocketTimeouts: Sendable {
    enum Verdict: Hashable, Sendable {
        case wait
        /// Ping the client.
        case ping
        /// The client has been silent for too long.
        case isSilent
        /// The client has not answered the Close frame in time.
        case isOverdue
    }

    private let configuration: WebSocketConfiguration
    // Nil until the next check. Times are counted from that check, so that no timeout is too short.
    private var silence: Duration?
    private var sincePing: Duration?
    private var closing: Duration?

    init(_ configuration: WebSocketConfiguration) {
        self.configuration = configuration
    }

    /// The client has sent something.
    mutating func received() {
        silence = nil
        sincePing = nil
    }

    /// Checks the timeouts; `elapsed` is the time since the last check.
    mutating func advance(by elapsed: Duration, isClosing: Bool) -> Verdict {
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
