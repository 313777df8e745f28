import Locking
import Logging
import TestSupport
import Testing

@testable import Accounts

@Suite struct AccountsTests {
    private let world = MemoryLibrary()
    private let sender = Sender(address: "192.0.2.1", agent: "test")
    private let password = "correct horse"

    private func owner(_ accounts: Accounts) async throws -> SignedIn {
        try await accounts.accept(
            try await accounts.inviteOwner().text, name: "olga", password: password, from: sender)
    }

    @Test func `everything is there again after a restart, and nothing in the library opens anything`() async throws {
        let first = try world.open()
        let owner = try await owner(first)
        let (_, token) = try await first.issueToken(
            "program", scopes: .view, lifetime: nil, by: owner.principal, from: sender)
        let share = try await first.share(
            .init(name: "s", view: "q=x", lifetime: nil, password: "sesame", contents: [.metadata]),
            by: owner.principal,
            from: sender)
        let second = try world.open()
        #expect(second.principal(session: owner.session.text) == owner.principal)
        #expect(second.principal(appToken: token.text)?.rights == .view)
        #expect(second.visit(share.key(second.secret), pass: nil)?.share == share)
        let stored = world.state.withLock { $0.records.values.map { String(decoding: $0.body ?? [], as: UTF8.self) } }
        #expect(stored.count == 5)
        for secret in [owner.session.text, String(token.text.dropFirst(8)), password, "sesame"] {
            #expect(!stored.contains { $0.contains(secret) })
        }
    }

    @Test func `a session is renewed every day, its former secret works for a minute, and it ends when idle`()
        async throws
    {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        #expect(try await accounts.renew(owner.principal) == nil)
        world.wait(86_400)
        let renewed = try #require(try await accounts.renew(owner.principal))
        #expect(accounts.principal(session: renewed.text) == owner.principal)
        #expect(accounts.principal(session: owner.session.text) == owner.principal)
        world.wait(61)
        #expect(accounts.principal(session: owner.session.text) == nil)
        #expect(accounts.isCurrent(owner.principal))
        world.wait(30 * 86_400)
        #expect(accounts.principal(session: renewed.text) == nil)
        #expect(!accounts.isCurrent(owner.principal))
    }

    @Test func `what expires ends, and is gone after a restart`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let (_, token) = try await accounts.issueToken(
            "program", scopes: .view, lifetime: 100, by: owner.principal, from: sender)
        let share = try await accounts.share(
            .init(name: "s", view: "", lifetime: 100, password: nil, contents: []), by: owner.principal, from: sender)
        let code = try await accounts.invite(.member, by: owner.principal, from: sender)
        let key = share.key(accounts.secret)
        let visitor = try #require(accounts.visit(key, pass: nil)?.principal)
        #expect(accounts.isCurrent(visitor))
        world.wait(100)
        #expect(accounts.principal(appToken: token.text) == nil && accounts.visit(key, pass: nil) == nil)
        #expect(!accounts.isCurrent(visitor))
        #expect(await accounts.purpose(of: code.text) != nil)
        world.wait(7 * 86_400)
        #expect(await accounts.purpose(of: code.text) == nil)
        _ = try world.open()
        #expect(world.state.withLock { $0.records.keys.count { !$0.hasPrefix("session") } } == 2)
    }

    @Test func `a change that cannot be written did not happen`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let member = try await accounts.accept(
            try await accounts.invite(.member, by: owner.principal, from: sender).text, name: "mia", password: password,
            from: sender)
        world.state.withLock { $0.isFull = true }
        await #expect(throws: AccountsError.self) {
            try await accounts.remove(member.principal.account, by: owner.principal, from: sender)
        }
        await #expect(throws: AccountsError.self) {
            try await accounts.invite(.guest, by: owner.principal, from: sender)
        }
        #expect(accounts.isCurrent(member.principal) && accounts.people.count == 2)
        world.state.withLock { $0.isFull = false }
        try await accounts.remove(member.principal.account, by: owner.principal, from: sender)
        #expect(!accounts.isCurrent(member.principal) && accounts.people.count == 1)
    }

    @Test func `a link makes one account, whoever is fastest`() async throws {
        let accounts = try world.open()
        let code = try await accounts.inviteOwner().text
        let made = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (try? await accounts.accept(code, name: "p\(number)", password: password, from: sender)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1 && accounts.people.count == 1)
    }

    @Test func `somebody who has lost a right cannot complete a change that began before`() async throws {
        let accounts = try world.open()
        let first = try await owner(accounts)
        let second = try await accounts.accept(
            try await accounts.invite(.owner, by: first.principal, from: sender).text, name: "otto", password: password,
            from: sender)
        let open = try await accounts.invite(.owner, by: second.principal, from: sender)
        try await accounts.change(second.principal.account, to: .member, by: first.principal, from: sender)
        // The principal is as it was when the request arrived.
        await #expect(throws: AccountsError.notFound) {
            try await accounts.invite(.owner, by: second.principal, from: sender)
        }
        await #expect(throws: AccountsError.notFound) {
            try await accounts.change(first.principal.account, to: .guest, by: second.principal, from: sender)
        }
        #expect(await accounts.purpose(of: open.text) == nil)
        guard case .session(let id) = second.principal.credential else { return #expect(Bool(false)) }
        try await accounts.endSession(id, by: second.principal, from: sender)
        await #expect(throws: AccountsError.notFound) {
            try await accounts.issueToken("t", scopes: .view, lifetime: nil, by: second.principal, from: sender)
        }
        await #expect(throws: AccountsError.notFound) {
            try await accounts.share(
                .init(name: "s", view: "", lifetime: nil, password: nil, contents: []), by: second.principal,
                from: sender)
        }
    }

    @Test func `a share grants nothing that its maker lacks, and ends with the maker's right to share`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let maker = try await accounts.accept(
            try await accounts.invite(.member, by: owner.principal, from: sender).text, name: "mia", password: password,
            from: sender
        ).principal
        func share(_ contents: Share.Contents, by principal: Principal) async throws(AccountsError) -> Share {
            try await accounts.share(
                .init(name: "s", view: "", lifetime: nil, password: nil, contents: contents), by: principal,
                from: sender)
        }
        // No role may share without having originals, but a credential may grant less than its account has.
        let limited = Principal(
            account: maker.account, name: maker.name, role: maker.role, rights: [.view, .share],
            credential: maker.credential)
        await #expect(throws: AccountsError.notFound) { try await share([.metadata, .originals], by: limited) }
        let plain = try await share(.metadata, by: limited)
        #expect(accounts.visit(plain.key(accounts.secret), pass: nil)?.principal?.rights == .view)
        let key = try await share(.originals, by: maker).key(accounts.secret)
        let visitor = try #require(accounts.visit(key, pass: nil)?.principal)
        #expect(visitor.rights == [.view, .originals] && accounts.isCurrent(visitor))
        try await accounts.change(maker.account, to: .guest, by: owner.principal, from: sender)
        #expect(accounts.visit(key, pass: nil) == nil && !accounts.isCurrent(visitor))
        try await accounts.change(maker.account, to: .member, by: owner.principal, from: sender)
        #expect(accounts.visit(key, pass: nil)?.principal == visitor && accounts.isCurrent(visitor))
        try await accounts.remove(maker.account, by: owner.principal, from: sender)
        #expect(accounts.visit(key, pass: nil) == nil && !accounts.isCurrent(visitor))
        #expect(accounts.shares(for: owner.principal).isEmpty)
    }

    @Test func `each sees the own shares, and an owner everybody's, whoever has made them`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts).principal
        var people = [owner]
        for name in ["mia", "max"] {
            let code = try await accounts.invite(.member, by: owner, from: sender)
            people.append(
                try await accounts.accept(code.text, name: name, password: password, from: sender).principal)
        }
        var chance = SeededRandom(seed: 1)
        var makers: [String: Principal] = [:]
        for _ in 0..<100 {
            let person = people.randomElement(using: &chance)!
            if let id = makers.keys.sorted().randomElement(using: &chance), Bool.random(using: &chance) {
                let mayEnd = makers[id] == person || person == owner
                do throws(AccountsError) {
                    try await accounts.endShare(id, by: person, from: sender)
                    #expect(mayEnd)
                    makers[id] = nil
                } catch {
                    #expect(error == .notFound && !mayEnd)
                }
            } else {
                let new = Accounts.NewShare(name: "s", view: "", lifetime: nil, password: nil, contents: [])
                makers[try await accounts.share(new, by: person, from: sender).id] = person
            }
            for person in people {
                let expected = makers.filter { person == owner || $0.value == person }.keys
                #expect(accounts.shares(for: person).map(\.id).sorted() == expected.sorted())
            }
        }
    }

    @Test func `visits are counted at once, and written together`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let share = try await accounts.share(
            .init(name: "s", view: "", lifetime: nil, password: nil, contents: []), by: owner.principal, from: sender)
        let visit = try #require(accounts.visit(share.key(accounts.secret), pass: nil))
        for _ in 0..<1_000 { accounts.count(visit) }
        #expect(accounts.shares(for: owner.principal).map(\.visits) == [1_000])
        #expect(try world.open().shares(for: owner.principal).map(\.visits) == [0])
        await accounts.close()
        #expect(try world.open().shares(for: owner.principal).map(\.visits) == [1_000])
    }

    @Test func `revocations are announced, and links change their key, when rights end`() async throws {
        let accounts = try world.open()
        let owner = try await owner(accounts)
        let member = try await accounts.accept(
            try await accounts.invite(.member, by: owner.principal, from: sender).text, name: "mia", password: password,
            from: sender)
        let lost = Guarded<[AccountID]>([])
        accounts.onRevocation { account in lost.withLock { $0.append(account) } }
        let id = member.principal.account
        func epoch() -> UInt32? { accounts.linkPrincipals.first { $0.account == id }?.epoch }
        #expect(epoch() == 0)
        try await accounts.change(id, to: .guest, by: owner.principal, from: sender)
        #expect(lost.withLock(\.self) == [id] && epoch() == 1)
        try await accounts.change(id, to: .guest, by: owner.principal, from: sender)
        #expect(lost.withLock(\.self) == [id] && epoch() == 1)
        try await accounts.remove(id, by: owner.principal, from: sender)
        #expect(lost.withLock(\.self) == [id, id] && epoch() == nil)
    }
}

@Suite struct PasswordTests {
    @Test func `a password matches its own hash alone`() throws {
        let hash = try #require(Password.hash("correct horse"))
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(Password.matches("correct horse", hash))
        for wrong in ["", "correct hors", "correct horse ", "Correct horse"] { #expect(!Password.matches(wrong, hash)) }
        #expect(Password.hash("correct horse") != hash)
        #expect(!Password.matches("x", "no hash") && !Password.matches("x", ""))
    }

    @Test func `length is all that is asked of a password`() {
        #expect(throws: AccountsError.passwordTooShort) { try Password.check("1234567") }
        #expect(throws: AccountsError.passwordTooLong) { try Password.check(String(repeating: "x", count: 513)) }
        #expect(throws: Never.self) { try Password.check("12345678") }
    }
}
