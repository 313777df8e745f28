import Clients
import HTTPServer
import Loading
import Locking

/// When the viewports of a client's streams are taken up. Each costs a millisecond or two of the processor, in catalog,
/// plan and tokens; beside others a client with many streams has so many a second, and a stream whose turn has not come
/// shows its newest viewport when it does. Whoever is alone does not wait.
///
/// A pure value; times are seconds of one monotonic clock.
struct ViewportShares {
    /// Viewports that come at once before any waits: as many as one page reports in two seconds of a fling.
    static let burst = 60.0
    /// Viewports a second, on and on.
    static let rate = 30.0

    private struct Debt {
        /// Viewports that were taken, and not made up for yet, as of `asOf`.
        var taken = 0.0
        var asOf = 0.0

        func taken(at now: Double) -> Double { max(0, taken - (now - asOf) * ViewportShares.rate) }
    }

    private var company = Company()
    private var debts: [Client: Debt] = [:]
    /// How many clients were remembered when those that owe nothing were forgotten last.
    private var remembered = leastRemembered
    private static let leastRemembered = 512

    /// Clients that are remembered.
    var clientCount: Int { debts.count }

    /// The client is at work, with whatever it asks for.
    mutating func note(_ client: Client, now: Double) { company.note(client, now: now) }

    /// Takes a client's next turn.
    ///
    /// - Returns: seconds until it comes, 0 for one that is there.
    mutating func take(of client: Client, now: Double) -> Double {
        note(client, now: now)
        var debt = debts[client] ?? Debt(asOf: now)
        debt.taken = debt.taken(at: now) + 1
        debt.asOf = now
        let isAlone = company.lasts(for: client, now: now) == 0
        // What was taken while nobody else was there is not held against a client for long.
        if isAlone { debt.taken = min(debt.taken, 2 * Self.burst) }
        debts[client] = debt
        forgetIdle(now)
        return isAlone ? 0 : max(0, debt.taken - Self.burst) / Self.rate
    }

    /// Gives back a turn that has not come: nobody waits for it any more.
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

/// The same for all threads.
final class ViewportPace: Sendable {
    private let shares = Guarded(ViewportShares())

    func note(_ client: Client, now: Double) { shares.withLock { $0.note(client, now: now) } }

    func giveBack(of client: Client, now: Double) { shares.withLock { $0.giveBack(of: client, now: now) } }

    func take(of client: Client, now: Double) -> Double { shares.withLock { $0.take(of: client, now: now) } }
}
