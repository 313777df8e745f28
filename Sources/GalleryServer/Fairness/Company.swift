import Clients

/// Whether a client is alone: who was at work last, and who of all others was.
///
/// A pure value; times are seconds of one monotonic clock.
struct Company {
    /// For how long a client counts as one that is at work, in seconds.
    static let attention = 1.0

    private var latest: (client: Client, at: Double)?
    private var other: (client: Client, at: Double)?

    /// The client is at work.
    mutating func note(_ client: Client, now: Double) {
        if let latest, latest.client != client { other = latest }
        latest = (client, now)
    }

    /// For how many seconds from now others count as at work, unless they go on; 0 for a client that is alone.
    func lasts(for client: Client, now: Double) -> Double {
        let others = latest?.client == client ? other : latest
        return others.map { max(0, $0.at + Self.attention - now) } ?? 0
    }
}
