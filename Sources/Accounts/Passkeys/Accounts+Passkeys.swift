import Encodings
import Locking

/// Signing in with passkeys (WebAuthn), and the passkeys of an account.
extension Accounts {
    /// The most passkeys of an account.
    private static let maximumPasskeys = 20

    /// The signature algorithms of passkeys, by their COSE numbers, the preferred first.
    public static let passkeyAlgorithms = PublicKey.Algorithm.allCases.map(\.rawValue)

    /// The account's passkeys, the newest first.
    public func passkeys(of account: AccountID) -> [Passkey] {
        book.withLock { $0.passkeys.values.filter { $0.account == account } }
            .sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }

    // MARK: - Adding and removing

    /// The challenge for a new passkey of the principal, after a check of the present password: a passkey outlives the session, so
    /// somebody who finds an unlocked browser must not be able to add one.
    ///
    /// - Throws: ``AccountsError``: `wrongPassword`, `tooManyAttempts`.
    public func challengeForNewPasskey(
        password: String, by principal: Principal
    ) async throws(AccountsError) -> [UInt8] {
        let book = book.withLock(\.self)
        let account = try book.require(principal, [], at: now)
        let attempt = AttemptLimiter.Attempt(attempter: .known, target: "change \(principal.account)")
        guard try await matches(password, account.passwordHash, attempt) else { throw .wrongPassword }
        return challenges.issue(for: try Self.creation(principal, account, in: book), now: now)
    }

    private static func creation(
        _ principal: Principal, _ account: Account, in book: AccountBook
    ) throws(AccountsError) -> PasskeyChallenges.Purpose {
        guard case .session(let session) = principal.credential else { throw .notFound }
        let present = book.passkeys.values.filter { $0.account == account.id }.map(\.id)
        return .creation(account.id, session: session, passwordHash: account.passwordHash, passkeys: present)
    }

    /// Adds a passkey to the principal's account.
    ///
    /// - Parameters:
    ///   - algorithm: The COSE number of the signature algorithm.
    ///   - publicKey: A `SubjectPublicKeyInfo` in DER.
    /// - Throws: ``AccountsError``: `invalidName`, `passkeyRefused`, `challengeExpired`, `passkeyExists`, `tooMany`.
    public func addPasskey(
        _ name: String, _ response: PasskeyResponse, algorithm: Int, publicKey: [UInt8], at party: RelyingParty,
        by principal: Principal, from sender: Sender
    ) async throws(AccountsError) -> Passkey {
        guard let name = Account.normalized(name) else { throw .invalidName }
        let (client, authenticator) = try response.read(ClientData.creation, at: party)
        guard let algorithm = PublicKey.Algorithm(rawValue: algorithm),
            let key = PublicKey(algorithm, der: publicKey),
            authenticator.credential == response.credential
        else { throw .passkeyRefused }
        return try await change { [self] (book, change) throws(AccountsError) in
            let account = try book.require(principal, [], at: now)
            let purpose = try Self.creation(principal, account, in: book)
            guard challenges.accepts(client.challenge, for: purpose, now: now) else { throw .challengeExpired }
            guard book.passkey(response.credential) == nil else { throw .passkeyExists }
            guard book.passkeys.values.count(where: { $0.account == account.id }) < Self.maximumPasskeys else {
                throw .tooMany("passkeys")
            }
            let passkey = Passkey(
                id: Self.newID(), account: account.id, name: name, credential: response.credential, key: key,
                counter: authenticator.counter, created: now)
            change.records.append(passkey.record)
            change.entries.append(entry(.passkeyAdded, by: principal.name, sender, name))
            return passkey
        }
    }

    /// - Throws: ``AccountsError/notFound`` for a passkey of somebody else.
    public func removePasskey(_ id: String, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, [], at: now)
            guard let passkey = book.passkeys[id], passkey.account == principal.account else { throw .notFound }
            change.records.append(LibraryRecord(.passkey, id, nil))
            change.entries.append(entry(.passkeyRemoved, by: principal.name, sender, passkey.name))
        }
    }

    // MARK: - Signing in

    /// A challenge for a sign-in.
    public func challengeForSignIn() -> [UInt8] { challenges.issue(for: .signIn, now: now) }

    /// Signs in with a passkey.
    ///
    /// - Parameter userHandle: The account as the authenticator knows it, if it says so.
    /// - Throws: ``AccountsError``: `passkeyRefused`, `challengeExpired`, `tooManyAttempts`, `unwritable`.
    public func signIn(
        _ response: PasskeyResponse, signature: [UInt8], userHandle: [UInt8]?, at party: RelyingParty,
        from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        let attempt = AttemptLimiter.Attempt(attempter: .address(sender.address), target: "passkeys")
        try begin(attempt)
        await catchUpIfShared()
        let known = book.withLock { $0.passkey(response.credential) }
        do throws(AccountsError) {
            let signedIn = try await signIn(
                known, response, signature: signature, userHandle: userHandle, at: party, from: sender)
            limiter.withLock { $0.succeeded(attempt) }
            return signedIn
        } catch {
            guard error == .passkeyRefused || error == .challengeExpired else {
                // The server has failed, and not the person.
                limiter.withLock { $0.succeeded(attempt) }
                throw error
            }
            guard error == .passkeyRefused else { throw error }
            // Strangers could otherwise fill the log at no cost: they know the ids of no passkeys.
            guard let known, let name = book.withLock({ $0.accounts[known.account]?.name }) else { throw error }
            try await change { [self] (_, change) throws(AccountsError) in
                change.entries.append(entry(.signInFailed, by: name, sender, "passkey"))
            }
            throw error
        }
    }

    private func signIn(
        _ known: Passkey?, _ response: PasskeyResponse, signature: [UInt8], userHandle: [UInt8]?,
        at party: RelyingParty, from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        let (client, authenticator) = try response.read(ClientData.signIn, at: party)
        guard challenges.accepts(client.challenge, for: .signIn, now: now) else { throw .challengeExpired }
        guard let known, userHandle == nil || userHandle == known.account.userHandle,
            known.key.isSignature(signature, of: response.signedBytes)
        else { throw .passkeyRefused }
        // The passkey may have been removed or used since, so it counts as it is when the session begins.
        return try await begin(known.account, with: "passkey \(known.name)", from: sender) {
            [self] (book, change) throws(AccountsError) in
            guard var passkey = book.passkeys[known.id], passkey.isContinued(by: authenticator.counter) else {
                throw .passkeyRefused
            }
            guard PasskeyChallenges.isNew(client.challenge, after: passkey.challenge) else { throw .challengeExpired }
            passkey.challenge = client.challenge
            passkey.counter = authenticator.counter
            passkey.used = now
            change.records.append(passkey.record)
        }
    }
}

extension AccountID {
    /// What an authenticator knows the account by. It says nothing about the person (WebAuthn Level 3 §14.6.1).
    public var userHandle: [UInt8] { Array(description.utf8) }
}
