import Clients
import HTTPServer
import Loading
import Locking
import Time

/// Limits the rate of viewports per client, since each costs a millisecond or two of CPU in catalog, plan and tokens.
/// While other clients are active, a client with many streams gets a fixed number per second; a delayed stream then
/// handles its newest viewport. A client that is alone does not wait.
///
/// A pure value; times are in seconds of one monotonic clock.
struct ViewportRates {
    /// Viewports handled at once before any waits: as many as one page reports in two seconds of fast scrolling.
    static let burst = 60.0
    /// The sustained number of viewports per second.
    static let rate = 30.0

    private struct Debt {
        /// Viewports taken and not yet compensated for, as of `asOf`.
        var taken = 0.0
        var asOf = 0.0

        func taken(at now: Double) -> Double { max(0, taken - (now - asOf) * ViewportRates.rate) }
    }

    private var activity = ClientActivity()
    private var debts: [Client: Debt] = [:]
    /// The number of clients remembered after the last clean-up.
    private var remembered = leastRemembered
    private static let leastRemembered = 512

    /// The number of remembered clients.
    var clientCount: Int { debts.count }

    /// Records that the client is active, whatever its request.
    mutating func note(_ client: Client, now: Double) { activity.note(client, now: now) }

    /// Takes a client's next viewport.
    ///
    /// - Returns: Seconds to wait; 0 to handle it at once.
    mutating func take(of client: Client, now: Double) -> Double {
        note(client, now: now)
        var debt = debts[client] ?? Debt(asOf: now)
        debt.taken = debt.taken(at: now) + 1
        debt.asOf = now
        let isOnlyClient = activity.othersActiveFor(for: client, now: now) == 0
        // Limits the debt that the client ran up while it was alone.
        if isOnlyClient { debt.taken = min(debt.taken, 2 * Self.burst) }
        debts[client] = debt
        forgetIdle(now)
        return isOnlyClient ? 0 : max(0, debt.taken - Self.burst) / Self.rate
    }

    /// Gives back a viewport for which the stream no longer waits.
    mutating func giveBack(of client: Client, now: Double) {
        guard var debt = debts[client] else { return }
        debt.taken = max(0, debt.taken(at: now) - 1)
        debt.asOf = now
        debts[client] = debt
    }

    private mutating func forgetIdle(_ now: Double) {
        guard debts.count > 2 * remembered else { return }
        debts = debts.filter { $0.value.taken(at: now) > 0 }
        remembered = max(debts.count, Self.leastRemembered)
    }
}

/// A thread-safe ``ViewportRates``.
final class ViewportRateLimiter: Sendable {
    private let shares = Guarded(ViewportRates())

    /// Records that the client is active, whatever its request.
    func note(_ client: Client, now: Double = SystemTime().uptime().inSeconds) {
        shares.withLock { $0.note(client, now: now) }
    }

    func giveBack(of client: Client, now: Double) { shares.withLock { $0.giveBack(of: client, now: now) } }

    func take(of client: Client, now: Double) -> Double { shares.withLock { $0.take(of: client, now: now) } }
}
