/// Makes the challenges that passkeys sign, and recognises them.
///
/// A challenge is a ``TimedNonce`` and a code that only the nodes of this gallery can make, so strangers can neither fill a
/// table nor push out the challenges of others. What makes a challenge work only once is in the library: a passkey remembers
/// the last one that it has signed, and a new passkey ends those for other new ones.
struct PasskeyChallenges: Sendable {
    /// What a challenge is for.
    enum Purpose: Hashable, Sendable {
        case signIn
        /// A further passkey of an account that has these. The session, and the hash of the password that was checked.
        case creation(AccountID, session: String, passwordHash: String, passkeys: [String])

        fileprivate var text: String {
            switch self {
            case .signIn: "sign in"
            case .creation(let account, let session, let passwordHash, let passkeys):
                "create \(account) \(session) \(passwordHash) \(passkeys.sorted().joined(separator: " "))"
            }
        }
    }

    /// In seconds.
    private static let lifetime: Int64 = 300

    private let code: MessageCode

    init(secret: InstallationSecret) { code = MessageCode(secret, for: "passkey challenges") }

    /// A new challenge of 32 bytes.
    ///
    /// - Parameter now: In seconds since 1970, as all times here.
    func issue(for purpose: Purpose, now: Int64) -> [UInt8] {
        let head = TimedNonce(at: now).bytes
        return head + code(head + Array(purpose.text.utf8))
    }

    /// Whether this is a challenge for the purpose that has not expired.
    func accepts(_ challenge: [UInt8], for purpose: Purpose, now: Int64) -> Bool {
        guard challenge.count == TimedNonce.length + MessageCode.length, let head = TimedNonce(startOf: challenge)
        else {
            return false
        }
        return code.isCode(challenge.suffix(MessageCode.length), of: head.bytes + Array(purpose.text.utf8))
            && head.isValid(for: Self.lifetime, at: now)
    }

    /// Whether a challenge can be new to a passkey that has signed `last`. Of two people who use copies of one passkey within
    /// the same minute, the one who asked first may have to ask again.
    static func isNew(_ challenge: [UInt8], after last: [UInt8]?) -> Bool {
        guard let last, let former = TimedNonce(startOf: last) else { return true }
        guard let latter = TimedNonce(startOf: challenge) else { return false }
        return challenge != last && latter.time >= former.time
    }
}
