import Locking
import Testing

@testable import Accounts

@Suite struct LibraryMoveTests {
    private let former = MemoryLibrary()
    private let target = MemoryLibrary()
    private let sender = Sender(address: "192.0.2.1", agent: "test")
    private let password = "correct horse"

    private func owner(_ accounts: Accounts) async throws -> SignedIn {
        try await accounts.accept(
            try await accounts.inviteOwner().text, name: "olga", password: password, from: sender)
    }

    @Test func `passwords, sessions, app tokens, links, and the log are the same afterwards`() async throws {
        let before = try former.open()
        let owner = try await owner(before)
        let invitation = try await before.invite(.member, by: owner.principal, from: sender)
        let (_, token) = try await before.issueToken(
            "program", scopes: .view, lifetime: nil, by: owner.principal, from: sender)
        let share = try await before.share(
            .init(name: "s", view: "q=x", lifetime: nil, password: "sesame", contents: []), by: owner.principal,
            from: sender)
        // More than are read at a time.
        try former.change { _ in
            let entries = (0..<2_500).map { number in
                AuditEntry(
                    time: former.now, actor: "nobody", address: "203.0.113.1", action: .signInFailed,
                    subject: "\(number)")
            }
            return LibraryChange(entries: entries)
        }
        let log = former.state.withLock(\.entries)
        #expect(log.count > 2_500)

        let move = try LibraryMove(of: former)
        #expect(move.accountCount == 1 && move.shareCount == 1 && move.entryCount == log.count)
        try move.write(to: target)
        #expect(target.state.withLock(\.records) == former.state.withLock(\.records))
        #expect(target.state.withLock(\.entries) == log)
        let after = try target.open()
        #expect(after.secret.bytes == before.secret.bytes)
        #expect(after.principal(session: owner.session.text) == owner.principal)
        #expect(after.principal(appToken: token.text)?.rights == .view)
        #expect(after.visit(share.key(before.secret), pass: nil)?.share == share)
        #expect(await after.purpose(of: invitation.text) != nil)
        _ = try await after.signIn(name: "olga", password: password, browser: nil, from: sender)
    }

    @Test func `a new library without accounts gives way, and its links end`() async throws {
        let before = try former.open()
        _ = try await owner(before)
        let new = try target.open()
        let setUpLink = try await new.inviteOwner()
        try LibraryMove(of: former).write(to: target)
        let after = try target.open()
        #expect(after.secret.bytes == before.secret.bytes && after.people.map(\.name) == ["olga"])
        #expect(await after.purpose(of: setUpLink.text) == nil)
    }

    @Test func `a library with accounts stays as it is`() async throws {
        _ = try await owner(try former.open())
        _ = try await owner(try target.open())
        let state = target.state.withLock { ($0.records, $0.entries) }
        #expect(throws: LibraryMove.Refusal.hasAccounts(place: "memory")) {
            try LibraryMove(of: former).write(to: target)
        }
        #expect(target.state.withLock { $0.records == state.0 && $0.entries == state.1 })
    }

    @Test func `a node that has begun a library of its own refuses everybody once another one is there`() async throws {
        _ = try await owner(try former.open())
        let node = try target.open()
        // As a store hands over news to this node.
        let news = LibraryNews(records: Array(former.state.withLock(\.records).values), isWhole: false)
        #expect(throws: LibraryReplaced.self) { try node.take(news, since: 0) }
        #expect(!node.hasOwner)
    }

    @Test func `a library with an unreadable account or without a secret is not moved, and says why`() async throws {
        #expect(throws: LibraryMove.Refusal.self) { try LibraryMove(of: former) }
        _ = try await owner(try former.open())
        former.state.withLock { $0.records["share x"] = LibraryRecord(.share, "x", Array("{}".utf8)) }
        // Servers ignore it.
        #expect(try LibraryMove(of: former).shareCount == 0)
        let id = AccountID(number: 7).description
        former.state.withLock { $0.records["account x"] = LibraryRecord(.account, id, Array("{}".utf8)) }
        let error = try #require(throws: LibraryMove.Refusal.self) { try LibraryMove(of: former) }
        #expect(error.description.contains("memory") && error.description.contains(id))
    }
}
