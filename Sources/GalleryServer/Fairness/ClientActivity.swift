import Clients

/// Decides whether a client is alone. Remembers the client that was active last, and the last other client before it.
///
/// A pure value; times are in seconds of one monotonic clock.
struct ClientActivity {
    /// How long a client counts as active, in seconds.
    static let attention = 1.0

    private var latest: (client: Client, at: Double)?
    private var other: (client: Client, at: Double)?

    /// Records that the client is active.
    mutating func note(_ client: Client, now: Double) {
        if let latest, latest.client != client { other = latest }
        latest = (client, now)
    }

    /// How many more seconds another client counts as active if it does nothing further; 0 if the client is alone.
    func othersActiveFor(for client: Client, now: Double) -> Double {
        let others = latest?.client == client ? other : latest
        return others.map { max(0, $0.at + Self.attention - now) } ?? 0
    }
}
