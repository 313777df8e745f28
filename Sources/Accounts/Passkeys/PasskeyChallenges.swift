import Hashing

/// Makes the challenges that passkeys sign, and recognises them.
///
/// A challenge carries its time and a code that only the nodes of this gallery can make, so that nothing is stored for those who ask for one:
/// strangers can neither fill a table nor push out the challenges of others. Only those that were used are remembered,
/// until they would have expired.
struct PasskeyChallenges: Sendable {
    /// What a challenge is for.
    enum Purpose: Hashable, Sendable {
        case signIn
        /// A new passkey for an account: made in this session, by somebody who knows the password with this hash.
        case creation(AccountID, session: String, passwordHash: String)

        fileprivate var text: String {
            switch self {
            case .signIn: "sign in"
            case .creation(let account, let session, let passwordHash): "create \(account) \(session) \(passwordHash)"
            }
        }
    }

    /// In seconds.
    static let lifetime: Int64 = 300
    /// By how much the clocks of nodes may differ, in seconds.
    private static let skew: Int64 = 30
    /// The most used challenges that are remembered.
    static let capacity = 10_000

    private static let timeLength = 4
    private static let randomLength = 12
    private static let codeLength = 16

    private let key: [UInt8]
    /// With the times at which they expire.
    private var used: [[UInt8]: Int64] = [:]

    init(secret: InstallationSecret) { key = Array(secret.text(for: "passkey challenges").utf8) }

    /// A new challenge of 32 bytes.
    ///
    /// - Parameter now: In seconds since 1970, as all times here.
    func issue(for purpose: Purpose, now: Int64) -> [UInt8] {
        let time = UInt32(truncatingIfNeeded: now)
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + .random(Self.randomLength)
        return head + code(head, purpose)
    }

    /// Whether this is a challenge for the purpose that has neither expired nor been used.
    func accepts(_ challenge: [UInt8], for purpose: Purpose, now: Int64) -> Bool {
        guard let age = age(challenge, purpose, now) else { return false }
        return (-Self.skew..<Self.lifetime).contains(age) && used[challenge] == nil
    }

    /// Uses a challenge up.
    ///
    /// - Returns: False if it is not, or no longer, valid, or if too many have been used lately.
    mutating func use(_ challenge: [UInt8], for purpose: Purpose, now: Int64) -> Bool {
        guard accepts(challenge, for: purpose, now: now) else { return false }
        if used.count >= Self.capacity { used = used.filter { now < $0.value } }
        guard used.count < Self.capacity else { return false }
        used[challenge] = now + Self.lifetime + Self.skew
        return true
    }

    /// In seconds; nil for a challenge that was not issued for this purpose.
    private func age(_ challenge: [UInt8], _ purpose: Purpose, _ now: Int64) -> Int64? {
        guard challenge.count == Self.timeLength + Self.randomLength + Self.codeLength else { return nil }
        let head = Array(challenge.dropLast(Self.codeLength))
        guard challenge.suffix(Self.codeLength).elementsEqual(code(head, purpose)) else { return nil }
        return now - head.prefix(Self.timeLength).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Half of a digest whose other half nobody learns, so nothing can be appended to what was hashed.
    private func code(_ head: [UInt8], _ purpose: Purpose) -> [UInt8] {
        Array(SHA256.hash(key + head + Array(purpose.text.utf8)).prefix(Self.codeLength))
    }
}
