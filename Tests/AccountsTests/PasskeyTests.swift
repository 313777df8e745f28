import Testing

@testable import Accounts

@Suite struct PasskeyTests {
    private let world = MemoryLibrary()
    private let sender = Sender(address: "192.0.2.1", agent: "test")
    private let party = RelyingParty(id: "localhost", origin: "http://localhost:8080")
    private let password = "correct horse"

    private func owner(_ accounts: Accounts) async throws -> Principal {
        try await accounts.accept(
            try await accounts.inviteOwner().text, name: "olga", password: password, from: sender
        ).principal
    }

    private func add(
        _ authenticator: SoftwareAuthenticator, to accounts: Accounts, by owner: Principal, algorithm: Int? = nil,
        type: String = ClientData.creation, challenge: [UInt8]? = nil
    ) async throws -> Passkey {
        let issued = try await accounts.challengeForNewPasskey(password: password, by: owner)
        return try await accounts.addPasskey(
            "phone", authenticator.response(type, challenge ?? issued), algorithm: algorithm ?? authenticator.algorithm,
            publicKey: authenticator.publicKey, at: party, by: owner, from: sender)
    }

    private func signIn(
        _ authenticator: SoftwareAuthenticator, to accounts: Accounts, challenge: [UInt8]? = nil,
        type: String = ClientData.signIn, userHandle: [UInt8]? = nil, from address: String = "192.0.2.2",
        spoil: (inout [UInt8]) -> Void = { _ in }
    ) async throws -> SignedIn {
        let response = authenticator.response(type, challenge ?? accounts.challengeForSignIn())
        var signature = authenticator.signature(of: response.signedBytes)
        spoil(&signature)
        return try await accounts.signIn(
            response, signature: signature, userHandle: userHandle, at: party,
            from: Sender(address: address, agent: "test"))
    }

    @Test(arguments: ["EC", "ED25519", "RSA"])
    func `a passkey of each algorithm signs in, also after a restart`(kind: String) async throws {
        let authenticator =
            switch kind {
            case "EC": SoftwareAuthenticator()
            case "ED25519": SoftwareAuthenticator(kind, -8)
            default: SoftwareAuthenticator(kind, -257, bits: 2_048)
            }
        let first = try world.open()
        let owner = try await owner(first)
        let passkey = try await add(authenticator, to: first, by: owner)
        #expect(passkey.used == nil)
        let accounts = try world.open()
        #expect(accounts.passkeys(of: owner.account) == [passkey])
        for userHandle in [nil, owner.account.userHandle] {
            let signedIn = try await signIn(authenticator, to: accounts, userHandle: userHandle)
            #expect(signedIn.principal.account == owner.account)
            #expect(accounts.principal(session: signedIn.session.text) == signedIn.principal)
        }
        #expect(accounts.passkeys(of: owner.account).map(\.used) == [world.now])
        let actions = try await accounts.audit(before: nil, limit: 10).map { "\($0.action) \($0.subject ?? "")" }
        #expect(actions.prefix(3) == ["signedIn passkey phone", "signedIn passkey phone", "passkeyAdded phone"])
    }

    /// What a page, a browser, or an authenticator could do wrong, at a sign-in and when a passkey is made.
    private static let wrongs: [(String, @Sendable (SoftwareAuthenticator) -> Void)] = [
        ("another origin", { $0.origin = "https://localhost:8080" }),
        ("another port", { $0.origin = "http://localhost:8081" }),
        ("a frame of another site", { $0.more = #","crossOrigin":true"# }),
        ("members that are no JSON", { $0.more = "," }),
        ("another site's id", { $0.relyingParty = "example.org" }),
        ("nobody present", { $0.flags = .userVerified }),
        ("nobody verified", { $0.flags = .userPresent }),
    ]

    @Test func `a response that breaks a rule neither makes a passkey nor signs in`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        for (number, (wrong, apply)) in Self.wrongs.enumerated() {
            let spoilt = SoftwareAuthenticator()
            apply(spoilt)
            await #expect(throws: AccountsError.passkeyRefused, "\(wrong)") {
                try await add(spoilt, to: accounts, by: owner)
            }
            let authenticator = SoftwareAuthenticator()
            _ = try await add(authenticator, to: accounts, by: owner)
            _ = try await signIn(authenticator, to: accounts, from: "192.0.2.9")
            apply(authenticator)
            await #expect(throws: AccountsError.passkeyRefused, "\(wrong)") {
                try await signIn(authenticator, to: accounts, from: "192.0.2.\(100 + number)")
            }
        }
        #expect(accounts.passkeys(of: owner.account).count == Self.wrongs.count)
    }

    @Test func `a response of the other type, a wrong signature, and another account's name are refused`() async throws
    {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let authenticator = SoftwareAuthenticator()
        await #expect(throws: AccountsError.passkeyRefused) {
            try await add(authenticator, to: accounts, by: owner, type: ClientData.signIn)
        }
        await #expect(throws: AccountsError.passkeyRefused) { try await signIn(authenticator, to: accounts) }
        _ = try await add(authenticator, to: accounts, by: owner)
        await #expect(throws: AccountsError.passkeyRefused) {
            try await signIn(authenticator, to: accounts, type: ClientData.creation)
        }
        await #expect(throws: AccountsError.passkeyRefused) {
            try await signIn(authenticator, to: accounts) { $0[$0.count - 1] ^= 1 }
        }
        await #expect(throws: AccountsError.passkeyRefused) {
            try await signIn(authenticator, to: accounts) { $0 = [] }
        }
        await #expect(throws: AccountsError.passkeyRefused) {
            try await signIn(
                authenticator, to: accounts, userHandle: AccountID(number: 7).userHandle, from: "192.0.2.3")
        }
        _ = try await signIn(authenticator, to: accounts, from: "192.0.2.4")
        // Not of the attempt with a passkey that nobody has.
        let failures = try await accounts.audit(before: nil, limit: 20).filter { $0.action == .signInFailed }
        #expect(failures.map(\.actor) == ["olga", "olga", "olga", "olga"])
    }

    @Test func `a challenge works once, within five minutes, and for what it was made for`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let authenticator = SoftwareAuthenticator()
        let member = try await accounts.accept(
            try await accounts.invite(.member, by: owner, from: sender).text, name: "mia", password: password,
            from: sender
        ).principal
        let others = try await accounts.challengeForNewPasskey(password: password, by: member)
        for challenge in [others, accounts.challengeForSignIn(), [], .random(32)] {
            await #expect(throws: AccountsError.challengeExpired) {
                try await add(authenticator, to: accounts, by: owner, challenge: challenge)
            }
        }
        let creation = try await accounts.challengeForNewPasskey(password: password, by: owner)
        _ = try await add(authenticator, to: accounts, by: owner, challenge: creation)
        await #expect(throws: AccountsError.challengeExpired) {
            try await add(SoftwareAuthenticator(), to: accounts, by: owner, challenge: creation)
        }
        let first = accounts.challengeForSignIn()
        _ = try await signIn(authenticator, to: accounts, challenge: first)
        for challenge in [first, others, creation] {
            await #expect(throws: AccountsError.challengeExpired) {
                try await signIn(authenticator, to: accounts, challenge: challenge)
            }
        }
        let second = accounts.challengeForSignIn()
        world.wait(299)
        _ = try await signIn(authenticator, to: accounts, challenge: second)
        let third = accounts.challengeForSignIn()
        world.wait(300)
        await #expect(throws: AccountsError.challengeExpired) {
            try await signIn(authenticator, to: accounts, challenge: third)
        }
        // The same after a restart, as on another node; and not in another gallery.
        let fourth = accounts.challengeForSignIn()
        let restarted = try world.open()
        _ = try await signIn(authenticator, to: restarted, challenge: fourth)
        let elsewhere = try MemoryLibrary().open().challengeForSignIn()
        for challenge in [fourth, second, elsewhere] {
            await #expect(throws: AccountsError.challengeExpired) {
                try await signIn(authenticator, to: try world.open(), challenge: challenge)
            }
        }
    }

    @Test func `one challenge begins one session, however many use it at once`() async throws {
        let accounts = try world.open()
        let authenticator = SoftwareAuthenticator()
        _ = try await add(authenticator, to: accounts, by: try await owner(accounts))
        let response = authenticator.response(ClientData.signIn, accounts.challengeForSignIn())
        let signature = authenticator.signature(of: response.signedBytes)
        let count = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (try? await accounts.signIn(
                        response, signature: signature, userHandle: nil, at: party,
                        from: Sender(address: "192.0.2.\(number)", agent: "test"))) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
    }

    @Test func `an authenticator that counts must count on`() async throws {
        let accounts = try world.open()
        let authenticator = SoftwareAuthenticator()
        _ = try await add(authenticator, to: accounts, by: try await owner(accounts))
        var accepted: [UInt32] = []
        for (number, counter) in ([0, 0, 5, 5, 4, 0, 6] as [UInt32]).enumerated() {
            authenticator.counter = counter
            if (try? await signIn(authenticator, to: accounts, from: "192.0.2.\(number)")) != nil {
                accepted.append(counter)
            }
        }
        #expect(accepted == [0, 0, 5, 6])
    }

    @Test func `a key must be of the kind that its algorithm names`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let unsuitable = [
            SoftwareAuthenticator("EC", -8, curve: "P-256"), SoftwareAuthenticator("EC", -257, curve: "P-256"),
            SoftwareAuthenticator("EC", -7, curve: "P-384"), SoftwareAuthenticator("EC", -7, curve: "secp256k1"),
            SoftwareAuthenticator("EC", -35, curve: "P-256"), SoftwareAuthenticator("ED25519", -7),
            SoftwareAuthenticator("RSA", -257, bits: 1_024), SoftwareAuthenticator("RSA", -7, bits: 2_048),
        ]
        for authenticator in unsuitable {
            await #expect(throws: AccountsError.passkeyRefused) {
                try await add(authenticator, to: accounts, by: owner)
            }
        }
        let der = SoftwareAuthenticator().publicKey
        #expect(PublicKey(.es256, der: der) != nil)
        for length in 0..<der.count { #expect(PublicKey(.es256, der: Array(der.prefix(length))) == nil) }
        #expect(PublicKey(.es256, der: der + [0]) == nil)
        #expect(PublicKey(.es256, der: der + [UInt8](repeating: 0, count: 4_096)) == nil)
    }

    @Test func `an RSA key must have a short exponent, because a long one takes long to check`() {
        func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        }
        func key(_ exponent: [UInt8]) -> PublicKey? {
            let modulus = [0x00, 0xC1] + [UInt8](repeating: 0x5B, count: 255)
            let numbers = der(0x30, der(0x02, modulus) + [0x02, UInt8(exponent.count)] + exponent)
            let rsa: [UInt8] = [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
            return PublicKey(.rs256, der: der(0x30, rsa + der(0x03, [0] + numbers)))
        }
        #expect(key([1, 0, 1]) != nil)
        #expect(key([UInt8](repeating: 0x7F, count: 100)) == nil)
    }

    @Test func `adding needs the password, and a credential is added once`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        await #expect(throws: AccountsError.wrongPassword) {
            try await accounts.challengeForNewPasskey(password: "wrong", by: owner)
        }
        let authenticator = SoftwareAuthenticator()
        _ = try await add(authenticator, to: accounts, by: owner)
        await #expect(throws: AccountsError.passkeyExists) { try await add(authenticator, to: accounts, by: owner) }
        // The id in the signed data counts.
        let challenge = try await accounts.challengeForNewPasskey(password: password, by: owner)
        var response = SoftwareAuthenticator().response(ClientData.creation, challenge)
        response.credential[0] ^= 1
        let spoilt = response
        await #expect(throws: AccountsError.passkeyRefused) {
            try await accounts.addPasskey(
                "x", spoilt, algorithm: -7, publicKey: authenticator.publicKey, at: party, by: owner, from: sender)
        }
        for _ in 1..<20 { _ = try await add(SoftwareAuthenticator(), to: accounts, by: owner) }
        await #expect(throws: AccountsError.tooMany("passkeys")) {
            try await add(SoftwareAuthenticator(), to: accounts, by: owner)
        }
    }

    @Test func `only its owner removes a passkey, a removed one signs nobody in, and an account's go with it`()
        async throws
    {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let authenticator = SoftwareAuthenticator()
        let passkey = try await add(authenticator, to: accounts, by: owner)
        let member = try await accounts.accept(
            try await accounts.invite(.member, by: owner, from: sender).text, name: "mia", password: password,
            from: sender
        ).principal
        await #expect(throws: AccountsError.notFound) {
            try await accounts.removePasskey(passkey.id, by: member, from: sender)
        }
        try await accounts.removePasskey(passkey.id, by: owner, from: sender)
        await #expect(throws: AccountsError.passkeyRefused) { try await signIn(authenticator, to: accounts) }
        let theirs = SoftwareAuthenticator()
        _ = try await add(theirs, to: accounts, by: member)
        try await accounts.remove(member.account, by: owner, from: sender)
        #expect(accounts.passkeys(of: member.account).isEmpty)
        await #expect(throws: AccountsError.passkeyRefused) { try await signIn(theirs, to: accounts) }
    }

    @Test func `a new password keeps passkeys, and a password link ends them`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let authenticator = SoftwareAuthenticator()
        _ = try await add(authenticator, to: accounts, by: owner)
        let pending = try await accounts.challengeForNewPasskey(password: password, by: owner)
        try await accounts.changePassword(from: password, to: "another password", by: owner, from: sender)
        _ = try await signIn(authenticator, to: accounts)
        // Whoever knew the former password can no longer add one.
        let late = SoftwareAuthenticator()
        await #expect(throws: AccountsError.challengeExpired) {
            try await accounts.addPasskey(
                "x", late.response(ClientData.creation, pending), algorithm: -7, publicKey: late.publicKey, at: party,
                by: owner, from: sender)
        }
        let link = try await accounts.invitePassword(of: owner.account, by: owner, from: sender)
        _ = try await accounts.accept(link.text, name: nil, password: password, from: sender)
        #expect(accounts.passkeys(of: owner.account).isEmpty)
        await #expect(throws: AccountsError.passkeyRefused) { try await signIn(authenticator, to: accounts) }
    }

    @Test func `an address that fails has to wait, and others need not`() async throws {
        let accounts = try world.open()
        let authenticator = SoftwareAuthenticator()
        _ = try await add(authenticator, to: accounts, by: try await owner(accounts))
        for _ in 0..<5 {
            await #expect(throws: AccountsError.passkeyRefused) {
                try await signIn(SoftwareAuthenticator(), to: accounts, from: "198.51.100.1")
            }
        }
        await #expect(throws: AccountsError.tooManyAttempts(wait: 1)) {
            try await signIn(authenticator, to: accounts, from: "198.51.100.1")
        }
        _ = try await signIn(authenticator, to: accounts)
    }

    @Test func `authenticator data of any length and content is read or refused`() {
        let whole = SoftwareAuthenticator().response(ClientData.creation, []).authenticatorData
        #expect(AuthenticatorData(whole)?.credential?.count == 16)
        let end = 37 + 18 + 16
        for length in 0..<whole.count {
            #expect((AuthenticatorData(Array(whole.prefix(length))) != nil) == (length >= end), "\(length)")
        }
        let plain = Array(SoftwareAuthenticator().response(ClientData.signIn, []).authenticatorData)
        #expect(AuthenticatorData(plain) != nil && AuthenticatorData(plain + [0]) == nil)
        for length in [[0, 0], [0xff, 0xff], [4, 0]] as [[UInt8]] {
            var spoilt = whole + [UInt8](repeating: 0, count: 2_000)
            spoilt.replaceSubrange(53..<55, with: length)
            #expect(AuthenticatorData(spoilt) == nil)
        }
    }
}
