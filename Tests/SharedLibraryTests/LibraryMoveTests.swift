import Postgres
import SharedLibrary
import TestSupport
import Testing

@testable import Accounts

@Suite(.enabled(if: PostgresServer.isInstalled), .serialized, .timeLimit(.minutes(5)))
struct LibraryMoveTests {
    /// The library of a single machine, in memory: an owner, a member, a share, and a full audit log.
    private struct Former: LibraryStore {
        var records: [LibraryRecord] = []
        var entries: [AuditEntry] = []
        let place = "memory"
        let isShared = false

        func read(_ body: (LibraryNews) throws -> Void) throws {
            try body(LibraryNews(records: records, isWhole: true))
        }
        func change(_ body: (LibraryNews) throws -> LibraryChange) throws {}
        func audit(before number: Int64?, limit: Int) throws -> [AuditEntry] {
            entries.prefix(Int(number ?? Int64(entries.count + 1)) - 1).suffix(limit).reversed()
        }
        func follow(_ body: @escaping @Sendable () -> Void) {}
        func close() {}
    }

    /// What a gallery of this name contains, and `count` entries.
    private func former(_ gallery: SharedAccounts, entries count: Int) async throws -> (
        Former, owner: SignedIn, share: String
    ) {
        let node = try await gallery.node(gallery: "former")
        let owner = try await gallery.owner(on: node)
        _ = try await gallery.person("mia", .member, on: node, by: owner)
        let share = try await gallery.share(on: node, by: owner).key(node.secret)
        await node.close()
        var former = Former()
        let store = try library(gallery, "former")
        defer { store.close() }
        try store.read { former.records = $0.records }
        former.entries = (1...count).map { number in
            AuditEntry(
                number: Int64(number), time: 1_700_000_000 + Int64(number), actor: "o'l\"g\\a \u{1F426}",
                address: "2001:db8::\(String(number, radix: 16))", action: .signInFailed, subject: "\(number)")
        }
        return (former, owner, share)
    }

    private func library(_ gallery: SharedAccounts, _ name: String = "test") throws -> PostgresLibrary {
        var pace = PostgresLibrary.Pace()
        pace.statementTimeout = .seconds(120)
        return try PostgresLibrary(
            PostgresAddress(gallery.server.url()), gallery: name, pace: pace, logger: gallery.log.logger)
    }

    @Test func `a library with a full audit log is moved at once, and once only`() async throws {
        let gallery = try #require(await SharedAccounts())
        let (former, owner, share) = try await former(gallery, entries: 100_000)
        let store = try library(gallery)
        defer { store.close() }
        let began = ContinuousClock.now
        try LibraryMove(of: former).write(to: store)
        print("Moved in \(ContinuousClock.now - began).")
        let nodes = [try await gallery.node(), try await gallery.node()]
        for node in nodes {
            #expect(node.principal(session: owner.session.text) == owner.principal)
            #expect(node.visit(share, pass: nil) != nil && node.people.count == 2)
        }
        let newest = try await nodes[0].audit(before: nil, limit: 1_000)
        #expect(newest == former.entries.suffix(1_000).reversed())
        #expect(try await nodes[0].audit(before: 3, limit: 10) == former.entries.prefix(2).reversed())
        _ = try await nodes[1].signIn(name: "mia", password: gallery.password, browser: nil, from: gallery.sender())
        let again = try library(gallery)
        defer { again.close() }
        #expect(throws: LibraryMove.Refusal.hasAccounts(place: again.place)) {
            try LibraryMove(of: former).write(to: again)
        }
        #expect(try await nodes[0].audit(before: nil, limit: 1).map(\.action) == [.signedIn])
        for node in nodes { await node.close() }
    }

    @Test func `nothing is moved if one entry cannot be written`() async throws {
        let gallery = try #require(await SharedAccounts())
        let (former, _, _) = try await former(gallery, entries: 100)
        let before = try await gallery.node()
        try await gallery.ask("ALTER TABLE tessera_library.audit ADD CONSTRAINT c CHECK (subject <> '100')")
        let store = try library(gallery)
        defer { store.close() }
        #expect(throws: LibraryMove.Refusal.self) { try LibraryMove(of: former).write(to: store) }
        let after = try await gallery.node()
        #expect(after.secret.bytes == before.secret.bytes && after.people.isEmpty)
        #expect(try await after.audit(before: nil, limit: 10).isEmpty)
        for node in [before, after] { await node.close() }
    }

    @Test func `a node that runs while a library is moved to its gallery lets nobody in until it is restarted`()
        async throws
    {
        let gallery = try #require(await SharedAccounts())
        let (former, owner, _) = try await former(gallery, entries: 1)
        let running = try await gallery.node(validity: .seconds(1))
        let store = try library(gallery)
        defer { store.close() }
        try LibraryMove(of: former).write(to: store)
        #expect(await eventually { !running.isUpToDate })
        #expect(!running.hasOwner && gallery.log.lines.contains { $0.contains("Restart the node") })
        let restarted = try await gallery.node()
        #expect(restarted.principal(session: owner.session.text) == owner.principal)
        for node in [running, restarted] { await node.close() }
    }
}
