/// Slows down whoever guesses passwords, and locks nobody out: an address that fails has to wait, longer each time. If an
/// account is under attack from many addresses, each of them has to wait from its first failure on. The account's own
/// people come from addresses, or with browsers, that have not failed.
struct AttemptLimiter: Sendable {
    /// Who attempts: an address, or a browser that has signed in to this account before.
    enum Attempter: Hashable, Sendable {
        case address(String)
        case browser(String)
    }

    private struct Failures: Sendable {
        var count: Int
        /// In seconds of a monotonic clock.
        var last: Double
    }

    /// The failures of an attempter that cost no wait.
    private static let free = 5
    /// The failures of an account from which on an address's first failure costs a wait.
    private static let siege = 20
    private static let longestWait = 300.0
    /// Failures are forgotten after this time without another.
    private static let memory = 900.0
    /// The most attempters, and accounts, remembered. The older half makes room.
    private static let capacity = 10_000

    private var attempters: [Attempter: Failures] = [:]
    private var accounts: [String: Failures] = [:]

    /// How many seconds the attempter still has to wait; 0 for none.
    mutating func wait(_ attempter: Attempter, account: String, now: Double) -> Int {
        guard let failures = recent(attempters[attempter], now) else { return 0 }
        let free = (recent(accounts[account], now)?.count ?? 0) >= Self.siege ? 1 : Self.free
        guard failures.count >= free else { return 0 }
        let pause = min(Self.longestWait, Double(1 << min(failures.count - free, 20)))
        return max(0, Int((failures.last + pause - now).rounded(.up)))
    }

    /// How often the attempter has failed lately.
    func failures(of attempter: Attempter, now: Double) -> Int { recent(attempters[attempter], now)?.count ?? 0 }

    mutating func failed(_ attempter: Attempter, account: String, now: Double) {
        Self.count(&attempters, attempter, now)
        Self.count(&accounts, account, now)
    }

    mutating func succeeded(_ attempter: Attempter) { attempters[attempter] = nil }

    var rememberedCount: Int { attempters.count + accounts.count }

    private func recent(_ failures: Failures?, _ now: Double) -> Failures? {
        failures.flatMap { now - $0.last < Self.memory ? $0 : nil }
    }

    private static func count<Key>(_ table: inout [Key: Failures], _ key: Key, _ now: Double) {
        let former = table[key].flatMap { now - $0.last < memory ? $0.count : nil } ?? 0
        table[key] = Failures(count: former + 1, last: now)
        guard table.count > capacity else { return }
        let middle = table.values.map(\.last).sorted()[table.count / 2]
        table = table.filter { $0.value.last >= middle }
    }
}
