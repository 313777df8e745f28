import Accounts
import HTTPServer
import Locking

/// The open streams of each account, so that they end as soon as access is revoked.
final class AccountStreams: Sendable {
    private let accounts: Accounts
    private let state = Guarded(State())

    private struct State {
        /// What to call for each stream, by its number.
        var checks: [AccountID: [Int: @Sendable () -> Void]] = [:]
        /// The number given last.
        var number = 0
    }

    init(_ accounts: Accounts) {
        self.accounts = accounts
        accounts.onRevocation { [weak self] account in
            let checks = self?.state.withLock { $0.checks[account] } ?? [:]
            for check in checks.values { check() }
        }
    }

    /// With which code the principal's streams end; nil if they may go on.
    func end(of principal: Principal) -> WebSocketCloseCode? {
        guard accounts.isUpToDate else { return .tryAgainLater }
        return accounts.isCurrent(principal) ? nil : .signedOut
    }

    /// Adds a stream.
    ///
    /// - Parameter check: Called when access of the account has been revoked, or cannot be checked; must not block.
    /// - Returns: The number with which to remove it.
    func add(_ account: AccountID, check: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.number += 1
            state.checks[account, default: [:]][state.number] = check
            return state.number
        }
    }

    func remove(_ number: Int, of account: AccountID) {
        state.withLock { state in
            state.checks[account]?[number] = nil
            if state.checks[account]?.isEmpty == true { state.checks[account] = nil }
        }
    }
}

extension WebSocketCloseCode {
    /// The principal has signed out, or may see less than when the stream was opened. From the range for applications.
    static let signedOut = WebSocketCloseCode(rawValue: 4401)!
}
