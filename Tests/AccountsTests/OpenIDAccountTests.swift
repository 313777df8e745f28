import Encodings
import Locking
import Testing

@testable import Accounts

/// Which account a person of a provider gets, and with which role.
@Suite struct OpenIDAccountTests {
    private let world = MemoryLibrary()
    private let sender = Sender(address: "192.0.2.1", agent: "test")

    private func settings(
        _ groups: Set<String> = [], admits admitted: Set<String> = []
    ) throws -> OpenIDSettings {
        try OpenIDSettings(
            issuer: "https://id.example.org", clientID: "gallery", clientSecret: nil, name: nil, groupsClaim: "groups",
            admittedGroups: admitted, ownerGroups: groups)
    }

    private func person(_ subject: String, names: [String] = ["olga"], isOwner: Bool? = nil) throws -> OpenIDPerson {
        var claims = #"{"sub":"\#(subject)""#
        for (claim, name) in zip(["preferred_username", "email", "name"], names) {
            claims += #","\#(claim)":"\#(name)""#
        }
        if let isOwner { claims += #","groups":["staff"\#(isOwner ? #","admins""# : "")]"# }
        return try OpenIDPerson(
            OpenIDIdentity(issuer: "https://id.example.org", subject: subject), [try .init(claims + "}")],
            try settings(isOwner == nil ? [] : ["admins"]))
    }

    private func signIn(_ accounts: Accounts, _ person: OpenIDPerson) async throws -> Principal {
        try await accounts.signIn(person, at: "id", from: sender).principal
    }

    @Test func `an account is never taken over by its name`() async throws {
        let accounts = try world.open()
        let owner = try await accounts.accept(
            try await accounts.inviteOwner().text, name: "Olga", password: "correct horse", from: sender
        ).principal
        let first = try await signIn(accounts, person("1"))
        let second = try await signIn(accounts, person("2"))
        #expect(Set([owner.account, first.account, second.account]).count == 3)
        #expect(first.name == "olga-2" && second.name == "olga-3" && first.role == .member)
        #expect(try await signIn(accounts, person("1")).account == first.account)
        // Subjects are compared byte by byte.
        let other = try await signIn(accounts, person("e\u{301}", names: ["eve"]))
        #expect(try await signIn(accounts, person("\u{e9}", names: ["eve"])).account != other.account)
        // No password opens such an account.
        for password in ["", " ", "correct horse"] {
            await #expect(throws: AccountsError.wrongPassword) {
                try await accounts.signIn(name: "olga-2", password: password, browser: nil, from: sender)
            }
        }
        await #expect(throws: AccountsError.wrongPassword) {
            try await accounts.changePassword(from: "", to: "another password", by: first, from: sender)
        }
    }

    @Test func `the first usable name counts, and a long one is shortened`() async throws {
        let accounts = try world.open()
        func name(_ subject: String, _ names: String...) async throws -> String {
            try await signIn(accounts, person(subject, names: names)).name
        }
        #expect(try await name("1", "o\u{202e}lga", "ivan@example.org", "Ivan Ivanov") == "ivan")
        #expect(try await name("2", "", "@example.org", "Maria Müller") == "Maria Müller")
        #expect(try await name("3") == "person")
        #expect(try await name("4") == "person-2")
        let long = String(repeating: "ü", count: 32)
        #expect(try await name("5", long) == long)
        #expect(try await name("6", long) == String(repeating: "ü", count: 31) + "-2")
        #expect(try await name("7", long + "x", "eva@example.org") == "eva")
    }

    @Test func `the provider decides at each sign-in who is an owner, and the last owner stays one`() async throws {
        let accounts = try world.open()
        // Before the set-up link was used.
        #expect(try await signIn(accounts, person("1", isOwner: true)).role == .owner)
        #expect(accounts.hasOwner)
        await #expect(throws: AccountsError.lastOwner) { try await signIn(accounts, person("1", isOwner: false)) }
        #expect(try await signIn(accounts, person("2", isOwner: false)).role == .member)
        #expect(try await signIn(accounts, person("2", isOwner: true)).role == .owner)
        #expect(try await signIn(accounts, person("1", isOwner: false)).role == .member)
        // Without owner groups, roles stay as they are.
        #expect(try await signIn(accounts, person("2")).role == .owner)
        #expect(try await signIn(accounts, person("1")).role == .member)
    }

    @Test func `groups are a list or one text, compared whole`() throws {
        func isOwner(_ groups: String) throws -> Bool? {
            try OpenIDPerson(
                OpenIDIdentity(issuer: "i", subject: "s"), [try .init(#"{"groups":\#(groups)}"#)],
                try settings(["admins", "Fotografía"])
            ).isOwner
        }
        for groups in [#"["staff","admins"]"#, #""admins""#, #"["Fotografía"]"#] {
            #expect(try isOwner(groups) == true)
        }
        for groups in [
            "[]", "null", #""""#, #""staff,admins""#, #"["Admins"]"#, #"["admins2"]"#, #"["Fotografi\#u{301}a"]"#,
        ] { #expect(try isOwner(groups) == false, "\(groups)") }
        for groups in [#"{"admins":true}"#, #"["admins",1]"#, #"[["admins"]]"#, "true"] {
            #expect(throws: OpenIDError.self, "\(groups)") { try isOwner(groups) }
        }
    }

    @Test func `somebody whose account was removed gets a new one`() async throws {
        let accounts = try world.open()
        let owner = try await signIn(accounts, person("1", isOwner: true))
        let former = try await accounts.signIn(person("2"), at: "id", from: sender)
        try await accounts.remove(former.principal.account, by: owner, from: sender)
        #expect(accounts.principal(session: former.session.text) == nil)
        #expect(try await signIn(accounts, person("2")).account != former.principal.account)
    }

    @Test func `a library without identities can be read`() throws {
        let body = #"{"name":"olga","role":"owner","password":"x","epoch":0,"created":1}"#
        let account = try Account(AccountID(number: 1), Array(body.utf8))
        #expect(account.identity == nil)
        #expect(try Account(AccountID(number: 1), account.record.body ?? []) == account)
    }
}

@Suite struct OpenIDSettingsTests {
    private func name(_ issuer: String, name: String? = nil) throws(OpenIDSettings.Invalid) -> String {
        try OpenIDSettings(
            issuer: issuer, clientID: "gallery", clientSecret: nil, name: name, groupsClaim: "groups",
            admittedGroups: [], ownerGroups: []
        ).name
    }

    @Test func `an issuer is an https URL, or one on this machine`() throws {
        for (issuer, host) in [
            ("https://id.example.org", "id.example.org"), ("https://ID.example.org:8443/realms/a/", "id.example.org"),
            ("http://localhost:9000", "localhost"), ("http://127.0.0.1:1/x", "127.0.0.1"),
            ("http://[::1]:9000", "[::1]"),
        ] { #expect(try name(issuer) == host) }
        #expect(try name("https://id.example.org", name: "Our house") == "Our house")
        for issuer in [
            "", "id.example.org", "http://id.example.org", "http://127.0.0.1.example.org", "https://", "https:///x",
            "https://u:p@id.example.org", "https://id.example.org?x", "https://id.example.org/#x",
            "https://id.example.org/ x", "HTTPS://id.example.org", "ftp://id.example.org", "https://id.example.org\\x",
        ] { #expect(throws: OpenIDSettings.Invalid.issuer(issuer)) { try name(issuer) } }
    }

    @Test func `the discovery URL depends on the issuer alone`() {
        let ending = "/.well-known/openid-configuration"
        #expect(ProviderMetadata.url(of: "https://a.example") == "https://a.example" + ending)
        #expect(ProviderMetadata.url(of: "https://a.example/b/") == "https://a.example/b" + ending)
    }
}
