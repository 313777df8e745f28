import Locking
import SharedLibrary
import TestSupport
import Testing

@testable import Accounts

@Suite(.enabled(if: PostgresServer.isInstalled), .serialized, .timeLimit(.minutes(5)))
struct LibraryOutageTests {
    @Test func `without the database nothing changes, soon nobody gets in, and all is well when it is back`()
        async throws
    {
        let gallery = try #require(await SharedAccounts())
        let (one, other) = (
            try await gallery.node(validity: .seconds(2)), try await gallery.node(validity: .seconds(2))
        )
        let owner = try await gallery.owner(on: one)
        let member = try await gallery.person("mia", .member, on: one, by: owner)
        let told = Guarded<Set<AccountID>>([])
        one.onRevocation { account in told.withLock { _ = $0.insert(account) } }
        #expect(one.isUpToDate && other.isUpToDate)

        gallery.server.end()
        await #expect(throws: AccountsError.self) {
            try await one.remove(member.principal.account, by: owner.principal, from: gallery.sender())
        }
        await #expect(throws: AccountsError.self) {
            try await one.signIn(name: "mia", password: gallery.password, browser: nil, from: gallery.sender())
        }
        #expect(one.people.count == 2)
        #expect(await eventually { !one.isUpToDate && !other.isUpToDate })
        // Streams are told to check.
        #expect(await eventually { told.withLock(\.self) == [owner.principal.account, member.principal.account] })
        #expect(await eventually { gallery.log.lines.count { $0.contains("Requests get a 503 until it can") } == 2 })

        #expect(await gallery.server.start())
        let removed = await eventually {
            (try? await other.remove(member.principal.account, by: owner.principal, from: gallery.sender())) != nil
        }
        #expect(removed)
        #expect(await eventually { one.isUpToDate && !one.isCurrent(member.principal) })
        #expect(await eventually { gallery.log.lines.count { $0.contains("up to date again") } == 2 })
        for node in [one, other] { await node.close() }
    }

    @Test func `a hanging database is noticed, too`() async throws {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node(validity: .seconds(2))
        let owner = try await gallery.owner(on: node)
        gallery.server.freeze()
        await #expect(throws: AccountsError.self) {
            try await node.invite(.guest, by: owner.principal, from: gallery.sender())
        }
        #expect(await eventually { !node.isUpToDate })
        gallery.server.wake()
        #expect(await eventually { node.isUpToDate })
        #expect(
            await eventually { (try? await node.invite(.guest, by: owner.principal, from: gallery.sender())) != nil })
        await node.close()
    }

    @Test func `a node that has missed removals for good reads everything, and tells who has lost something`()
        async throws
    {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node()
        let owner = try await gallery.owner(on: node)
        let member = try await gallery.person("mia", .member, on: node, by: owner)
        let told = Guarded<[AccountID]>([])
        node.onRevocation { account in told.withLock { $0.append(account) } }
        guard case .session(let session) = member.principal.credential else { return #expect(Bool(false)) }
        // As if it had been removed long ago, and the row of the removal as well.
        try await gallery.ask(
            "DELETE FROM tessera_library.record WHERE id = '\(session)'",
            "UPDATE tessera_library.gallery SET change = change + 10000")
        await node.catchUp()
        #expect(!node.isCurrent(member.principal) && node.isCurrent(owner.principal))
        #expect(told.withLock(\.self) == [member.principal.account])
        // A restored backup is noticed when the connection is made again.
        try await gallery.ask(
            "DELETE FROM tessera_library.record WHERE kind = 'session'",
            "UPDATE tessera_library.form SET identity = gen_random_uuid()",
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
        )
        #expect(await eventually { !node.isCurrent(owner.principal) })
        #expect(node.people.count == 2)
        await node.close()
    }

    @Test func `a restored backup is noticed even if as many changes were made since`() async throws {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node()
        let owner = try await gallery.owner(on: node)
        let member = try await gallery.person("mia", .member, on: node, by: owner)
        guard case .session(let session) = member.principal.credential else { return #expect(Bool(false)) }
        let tables = ["gallery", "history", "record"]
        for table in tables {
            try await gallery.ask("CREATE TABLE kept_\(table) AS TABLE tessera_library.\(table)")
        }
        // Lost by the restored backup.
        _ = try await gallery.person("zoe", .member, on: node, by: owner)
        #expect(node.people.count == 3)
        // At one moment for the node, as if it had been cut off meanwhile.
        try await gallery.ask(
            """
            DO $$ BEGIN
                DELETE FROM tessera_library.history; DELETE FROM tessera_library.record;
                INSERT INTO tessera_library.history TABLE kept_history;
                INSERT INTO tessera_library.record TABLE kept_record;
                UPDATE tessera_library.gallery SET change = kept_gallery.change, mark = kept_gallery.mark
                FROM kept_gallery WHERE gallery.id = kept_gallery.id;
                UPDATE tessera_library.record SET body = NULL, change = gallery.change + 1
                FROM tessera_library.gallery WHERE record.id = '\(session)';
                FOR number IN 1..20 LOOP
                    INSERT INTO tessera_library.history SELECT id, change, mark FROM tessera_library.gallery;
                    UPDATE tessera_library.gallery SET change = change + 1, mark = gen_random_uuid();
                END LOOP;
            END $$
            """)
        await node.catchUp()
        #expect(Set(node.people.map(\.name)) == ["olga", "mia"])
        #expect(!node.isCurrent(member.principal) && node.isCurrent(owner.principal))
        await node.close()
    }

    @Test func `a library that has become another one lets nobody in`() async throws {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node(validity: .seconds(2))
        let owner = try await gallery.owner(on: node)
        try await gallery.ask(
            "DROP SCHEMA tessera_library CASCADE",
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
        )
        #expect(await eventually { !node.isUpToDate })
        #expect(await eventually { gallery.log.lines.contains { $0.contains("Restart the node") } })
        await #expect(throws: AccountsError.self) {
            try await node.invite(.owner, by: owner.principal, from: gallery.sender())
        }
        #expect(!node.isUpToDate)
        await node.close()
    }

    @Test func `an account that this program cannot read keeps it from answering, and loses nothing`() async throws {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node(validity: .seconds(2))
        let owner = try await gallery.owner(on: node)
        // As a newer program may write it.
        try await gallery.ask(
            """
            WITH numbered AS (UPDATE tessera_library.gallery SET change = change + 1 RETURNING id, change)
            UPDATE tessera_library.record SET body = '{"role":"curator"}', change = numbered.change FROM numbered
            WHERE kind = 'account'
            """)
        #expect(await eventually { !node.isUpToDate })
        await #expect(throws: AccountsError.self) {
            try await node.invite(.guest, by: owner.principal, from: gallery.sender())
        }
        #expect(node.sessions(of: owner.principal.account).count == 1)
        await node.close()
    }

    @Test func `texts that PostgreSQL does not store are no reason to fail`() async throws {
        let gallery = try #require(await SharedAccounts())
        let node = try await gallery.node()
        let name = "o'l\"g\\a \u{1F426}"
        let code = try await node.inviteOwner().text
        let owner = try await node.accept(
            code, name: name, password: gallery.password, from: Sender(address: "::1", agent: "a\0\u{1}b"))
        await #expect(throws: AccountsError.wrongPassword) {
            try await node.signIn(name: "x\0y\u{7}", password: "", browser: nil, from: gallery.sender())
        }
        #expect(try await node.audit(before: nil, limit: 1).map(\.actor) == ["xy\u{7}"])
        await node.close()
        let later = try await gallery.node()
        #expect(later.people.map(\.name) == [name])
        #expect(later.sessions(of: owner.principal.account).map(\.agent) == ["a\0\u{1}b"])
        await later.close()
    }

    @Test func `a database that is not there is an error that names it and says why`() async throws {
        let gallery = try #require(await SharedAccounts())
        gallery.server.end()
        let error = try #require(
            await #expect(throws: AccountsError.self) { _ = try await gallery.node(openingTime: .seconds(2)) })
        #expect(error.description.contains("127.0.0.1") && error.description.contains("refused"))
        #expect(!error.description.contains(PostgresServer.password))
    }
}
