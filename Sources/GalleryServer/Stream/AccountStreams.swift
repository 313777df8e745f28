import Accounts
import HTTPServer
import Locking

/// The open streams of each account, so that they end as soon as access is revoked.
final class AccountStreams: Sendable {
    private let accounts: Accounts
    private let checks = Guarded<[AccountID: [Int: @Sendable () -> Void]]>([:])
    private let count = Guarded(0)

    init(_ accounts: Accounts) {
        self.accounts = accounts
        accounts.onRevocation { [weak self] account in
            let checks = self?.checks.withLock { $0[account] } ?? [:]
            for check in checks.values { check() }
        }
    }

    /// Whether the principal may still see what it saw.
    func isCurrent(_ principal: Principal) -> Bool { accounts.isCurrent(principal) }

    /// Adds a stream.
    ///
    /// - Parameter check: Called when access of the account has been revoked; must not block.
    /// - Returns: The number with which to remove it.
    func add(_ account: AccountID, check: @escaping @Sendable () -> Void) -> Int {
        let number = count.withLock { count in
            count += 1
            return count
        }
        checks.withLock { $0[account, default: [:]][number] = check }
        return number
    }

    func remove(_ number: Int, of account: AccountID) {
        checks.withLock { checks in
            checks[account]?[number] = nil
            if checks[account]?.isEmpty == true { checks[account] = nil }
        }
    }
}

extension WebSocketCloseCode {
    /// The principal has signed out, or may see less than when the stream was opened. From the range for applications.
    static let signedOut = WebSocketCloseCode(rawValue: 4401)!
}
