import Locking
import SharedLibrary
import TestSupport
import Testing

@testable import Accounts

@Suite(.enabled(if: PostgresServer.isInstalled), .serialized, .timeLimit(.minutes(5)))
struct PostgresLibraryTests {
    @Test func `nodes that start together have one secret, and another gallery has another`() async throws {
        let gallery = try #require(await SharedAccounts())
        let nodes = try await withThrowingTaskGroup(of: Accounts.self) { group in
            for _ in 0..<4 { group.addTask { try await gallery.node() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let other = try await gallery.node(gallery: "other")
        #expect(nodes.count == 4 && Set(nodes.map(\.secret.bytes)).count == 1)
        #expect(other.secret.bytes != nodes[0].secret.bytes)
        _ = try await gallery.owner(on: nodes[0])
        await other.catchUp()
        #expect(!other.hasOwner)
        for node in nodes + [other] { await node.close() }
        let later = try await gallery.node()
        #expect(later.secret.bytes == nodes[0].secret.bytes && later.hasOwner)
        await later.close()
    }

    @Test func `what one node issues works on the other, and what one ends is over on the other`() async throws {
        let gallery = try #require(await SharedAccounts())
        let (one, other) = (try await gallery.node(), try await gallery.node())
        let owner = try await gallery.owner(on: one)
        let member = try await gallery.person("mia", .member, on: one, by: owner)
        let share = try await gallery.share(on: one, by: member)
        let key = share.key(one.secret)
        let (token, secret) = try await one.issueToken(
            "program", scopes: .view, lifetime: nil, by: member.principal, from: gallery.sender())
        // A notification arrives; nobody asks for it.
        #expect(await eventually { other.principal(appToken: secret.text) != nil })
        #expect(other.principal(session: member.session.text) == member.principal && other.visit(key, pass: nil) != nil)
        let visitor = try #require(other.visit(key, pass: nil)?.principal)

        // Whatever takes something from an account is told on both nodes, and each knows of which account.
        let id = member.principal.account
        let told = [Guarded<[AccountID]>([]), Guarded<[AccountID]>([])]
        for (node, told) in zip([one, other], told) {
            node.onRevocation { account in told.withLock { $0.append(account) } }
        }
        func isToldOnBoth(_ times: Int) async -> Bool {
            await eventually { told.allSatisfy { $0.withLock(\.self) == Array(repeating: id, count: times) } }
        }
        func epochs() -> [UInt32?] {
            [one, other].map { $0.linkPrincipals.first { $0.account == id }?.epoch }
        }
        try await one.revokeToken(token.id, by: member.principal, from: gallery.sender())
        #expect(await isToldOnBoth(1))
        #expect(other.principal(appToken: secret.text) == nil && epochs() == [0, 0])
        try await one.endShare(share.id, by: owner.principal, from: gallery.sender())
        #expect(await isToldOnBoth(2))
        #expect(other.visit(key, pass: nil) == nil && !other.isCurrent(visitor))
        try await one.change(id, to: .guest, by: owner.principal, from: gallery.sender())
        #expect(await isToldOnBoth(3))
        #expect(!other.isCurrent(member.principal) && epochs() == [1, 1])
        // The other way round, too.
        let again = try await other.signIn(
            name: "mia", password: gallery.password, browser: nil, from: gallery.sender())
        #expect(await eventually { one.isCurrent(again.principal) })
        try await other.changePassword(
            from: gallery.password, to: "another password", by: again.principal, from: gallery.sender())
        #expect(await isToldOnBoth(4))
        #expect(one.principal(session: member.session.text) == nil && one.isCurrent(again.principal))
        #expect(epochs() == [2, 2])
        guard case .session(let session) = again.principal.credential else { return #expect(Bool(false)) }
        try await other.endSession(session, by: again.principal, from: gallery.sender())
        #expect(await isToldOnBoth(5))
        #expect(!one.isCurrent(again.principal) && epochs() == [3, 3])
        try await other.remove(id, by: owner.principal, from: gallery.sender())
        #expect(await isToldOnBoth(6))
        #expect(one.people.count == 1 && epochs() == [nil, nil])
        // Both write one audit log.
        let entries = try await one.audit(before: nil, limit: 100)
        #expect(try await other.audit(before: nil, limit: 100) == entries)
        #expect(entries.map(\.number) == (1...Int64(entries.count)).reversed() && entries.count > 10)
        #expect(try await one.audit(before: 4, limit: 2).map(\.number) == [3, 2])
        for node in [one, other] { await node.close() }
    }

    @Test func `names are unique, links work once, and an owner remains, whichever nodes change at once`() async throws
    {
        let gallery = try #require(await SharedAccounts())
        let nodes = [try await gallery.node(), try await gallery.node()]
        /// Lets both nodes do something at once.
        ///
        /// - Returns: The errors of those that failed.
        func race(_ body: @escaping @Sendable (Accounts, Int) async throws -> Void) async -> [AccountsError] {
            await withTaskGroup(of: AccountsError?.self) { group in
                for (number, node) in nodes.enumerated() {
                    group.addTask {
                        do { try await body(node, number) } catch { return error as? AccountsError ?? .notFound }
                        return nil
                    }
                }
                return await group.reduce(into: [AccountsError?]()) { $0.append($1) }.compactMap(\.self)
            }
        }
        // Each node has printed a link.
        let setUp = [try await nodes[0].inviteOwner().text, try await nodes[1].inviteOwner().text]
        let late = await race { node, number in
            _ = try await node.accept(
                setUp[number], name: "o\(number)", password: gallery.password, from: gallery.sender())
        }
        #expect(late == [.noSuchInvitation])
        #expect(nodes.allSatisfy { $0.people.count <= 1 })
        for node in nodes { await node.catchUp() }
        for node in nodes { for code in setUp { #expect(await node.purpose(of: code) == nil) } }
        let name = try #require(nodes[0].people.first?.name)
        let owner = try await nodes[0].signIn(
            name: name, password: gallery.password, browser: nil, from: gallery.sender())

        for round in 0..<5 {
            var codes: [String] = []
            for _ in 0..<2 {
                codes.append(try await nodes[0].invite(.owner, by: owner.principal, from: gallery.sender()).text)
            }
            await nodes[1].catchUp()
            let second = await race { [codes] node, number in
                _ = try await node.accept(
                    codes[number], name: "Same \(round)", password: gallery.password, from: gallery.sender())
            }
            #expect(second == [.nameTaken])
            let code = try await nodes[1].invite(.owner, by: owner.principal, from: gallery.sender()).text
            await nodes[0].catchUp()
            let slower = await race { node, number in
                _ = try await node.accept(
                    code, name: "other \(round) \(number)", password: gallery.password, from: gallery.sender())
            }
            #expect(slower == [.noSuchInvitation])
        }
        for node in nodes { await node.catchUp() }
        let people = nodes[0].people
        #expect(people.count == 11 && Set(people.map { $0.name.lowercased() }).count == 11)

        // Two owners, each of whom demotes the other.
        for one in people where one.id != owner.principal.account && one.name != "Same 0" {
            try await nodes[0].remove(one.id, by: owner.principal, from: gallery.sender())
        }
        let second = try await nodes[1].signIn(
            name: "same 0", password: gallery.password, browser: nil, from: gallery.sender())
        await nodes[0].catchUp()
        let refused = await race { node, number in
            let (victim, actor) = number == 0 ? (second, owner) : (owner, second)
            try await node.change(victim.principal.account, to: .guest, by: actor.principal, from: gallery.sender())
        }
        #expect(refused.count == 1)
        for node in nodes { await node.catchUp() }
        #expect(nodes.allSatisfy { $0.people.count { $0.role == .owner } == 1 })
        let last = try #require(nodes[0].people.first { $0.role == .owner })
        let principal = last.id == owner.principal.account ? owner.principal : second.principal
        let both = await race { node, number in
            if number == 0 {
                try await node.change(last.id, to: .member, by: principal, from: gallery.sender())
            } else {
                try await node.remove(last.id, by: principal, from: gallery.sender())
            }
        }
        #expect(both == [.lastOwner, .lastOwner])
        for node in nodes { await node.close() }
    }

    @Test func `renewals, times of use and visits of several nodes add up, and sign nobody out`() async throws {
        let gallery = try #require(await SharedAccounts())
        let nodes = [try await gallery.node(), try await gallery.node()]
        let owner = try await gallery.owner(on: nodes[0])
        let share = try await gallery.share(on: nodes[0], by: owner)
        for node in nodes { await node.catchUp() }
        for round in 1...3 {
            gallery.ahead.withLock { $0 += 86_400 }
            // The cookie that the browser has now.
            let before = nodes.compactMap { $0.sessions(of: owner.principal.account).first?.digest }
            let renewed = try await withThrowingTaskGroup(of: Secret?.self) { group in
                for node in nodes {
                    // A request of the browser is noted on each node while it is renewed on both.
                    group.addTask {
                        node.noteUse(owner.principal, from: gallery.sender())
                        return try await node.renew(owner.principal)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(renewed.count == 1, "round \(round)")
            for node in nodes { await node.catchUp() }
            let secret = try #require(renewed.first)
            for node in nodes {
                let session = try #require(node.sessions(of: owner.principal.account).first)
                #expect(session.digest == secret.digest && session.previous?.digest == before.first)
                #expect(node.principal(session: secret.text) == owner.principal)
            }
        }
        let key = share.key(nodes[0].secret)
        for (number, node) in nodes.enumerated() {
            let visit = try #require(node.visit(key, pass: nil))
            for _ in 0..<(100 + number) { node.count(visit) }
        }
        // Counted visits are written when a node closes.
        for node in nodes { await node.close() }
        let later = try await gallery.node()
        #expect(later.shares(for: owner.principal).map(\.visits) == [201])
        // The use of the session that was noted is not lost, either.
        let session = try #require(later.sessions(of: owner.principal.account).first)
        #expect(session.seen >= session.created + 3 * 86_400)
        await later.close()
    }
}
