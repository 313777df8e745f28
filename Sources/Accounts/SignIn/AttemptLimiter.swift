/// Slows down password guessing without locking anybody out: a client that fails must wait, longer each time. If an account is
/// under attack from many addresses, each of them has to wait from its first failure on. The account's own people come from
/// addresses, or with browsers, that have not failed.
struct AttemptLimiter: Sendable {
    /// Who attempts what.
    struct Attempt: Hashable, Sendable {
        enum Attempter: Hashable, Sendable {
            case address(String)
            /// A browser that the account has been used with before, or somebody who is signed in.
            case known
        }

        let attempter: Attempter
        /// The account, or the share, whose password is tried.
        let target: String
    }

    private struct Failures: Sendable {
        var count: Int
        /// In seconds of a monotonic clock.
        var last: Double
    }

    /// How many failures at one target cause no wait.
    private static let free = 5
    /// The same for an address at all targets together. A success does not undo those, or somebody with a password of
    /// their own could guess others' for ever.
    private static let freeOfAddress = 30
    /// After this many failures at a target, even an address's first failure causes a wait.
    private static let siege = 20
    private static let longestWait = 300.0
    /// Failures are forgotten after this time without another.
    private static let memory = 900.0
    /// The most entries of each table. The older half makes room.
    private static let capacity = 10_000

    private var attempts: [Attempt: Failures] = [:]
    private var addresses: [String: Failures] = [:]
    private var targets: [String: Failures] = [:]

    /// How many seconds to wait before this attempt; 0 for none.
    mutating func wait(_ attempt: Attempt, now: Double) -> Int {
        let isBesieged = (recent(targets[attempt.target], now)?.count ?? 0) >= Self.siege
        let own = pause(recent(attempts[attempt], now), free: isBesieged ? 1 : Self.free, now)
        guard case .address(let address) = attempt.attempter else { return own }
        return max(own, pause(recent(addresses[address], now), free: Self.freeOfAddress, now))
    }

    private func pause(_ failures: Failures?, free: Int, _ now: Double) -> Int {
        guard let failures, failures.count >= free else { return 0 }
        let pause = min(Self.longestWait, Double(1 << min(failures.count - free, 20)))
        return max(0, Int((failures.last + pause - now).rounded(.up)))
    }

    /// Whether this has failed lately.
    func hasFailed(_ attempt: Attempt, now: Double) -> Bool { recent(attempts[attempt], now) != nil }

    mutating func failed(_ attempt: Attempt, now: Double) {
        Self.count(&attempts, attempt, now)
        if case .address(let address) = attempt.attempter {
            Self.count(&addresses, address, now)
            Self.count(&targets, attempt.target, now)
        }
    }

    /// Takes back the failure that was counted before the check, and forgives the earlier ones at this target.
    mutating func succeeded(_ attempt: Attempt) {
        attempts[attempt] = nil
        if case .address(let address) = attempt.attempter {
            addresses[address]?.count -= 1
            targets[attempt.target]?.count -= 1
        }
    }

    private func recent(_ failures: Failures?, _ now: Double) -> Failures? {
        failures.flatMap { $0.count > 0 && now - $0.last < Self.memory ? $0 : nil }
    }

    var rememberedCount: Int { attempts.count + addresses.count + targets.count }

    private static func count<Key>(_ table: inout [Key: Failures], _ key: Key, _ now: Double) {
        let former = table[key].flatMap { now - $0.last < memory ? $0.count : nil } ?? 0
        table[key] = Failures(count: former + 1, last: now)
        guard table.count > capacity else { return }
        let middle = table.values.map(\.last).sorted()[table.count / 2]
        table = table.filter { $0.value.last >= middle }
    }
}
