import Accounts
import Encodings

// What clients send about accounts. No body but these carries a password or the code of an invitation.

let longestPassword = 4096

/// `POST /api/v1/session`.
struct SignInBody: JSONReadable, Sendable {
    let name: String
    let password: String

    init(_ json: JSONField) throws(JSONFieldError) {
        name = try json.required("name").text(longest: 4 * Account.longestName)
        password = try json.required("password").text(longest: longestPassword)
    }
}

/// `POST /api/v1/invitation`.
struct CodeBody: JSONReadable, Sendable {
    let code: String

    init(_ json: JSONField) throws(JSONFieldError) { code = try json.required("code").text(longest: longestName) }
}

/// `POST /api/v1/invitation/accept`.
struct AcceptanceBody: JSONReadable, Sendable {
    let code: String
    /// For a new account.
    let name: String?
    let password: String

    init(_ json: JSONField) throws(JSONFieldError) {
        code = try json.required("code").text(longest: longestName)
        name = try json["name"]?.unlessNull?.text(longest: 4 * Account.longestName)
        password = try json.required("password").text(longest: longestPassword)
    }
}

/// `POST /api/v1/password`.
struct NewPasswordBody: JSONReadable, Sendable {
    let current: String
    let new: String

    init(_ json: JSONField) throws(JSONFieldError) {
        current = try json.required("current").text(longest: longestPassword)
        new = try json.required("new").text(longest: longestPassword)
    }
}

/// `POST /api/v1/app-tokens`.
struct NewTokenBody: JSONReadable, Sendable {
    let name: String
    let scopes: Rights
    /// Nil for a token that does not expire.
    let days: Int?

    init(_ json: JSONField) throws(JSONFieldError) {
        name = try json.required("name").text(longest: 4 * AppToken.longestName)
        let field = try json.required("scopes")
        scopes = try field.options()
        guard !scopes.isEmpty else { throw field.broken("must not be empty") }
        days = try json["days"]?.unlessNull?.integer(in: 1...3650)
    }
}

/// `POST /api/v1/people` and `POST /api/v1/people/{id}`.
struct RoleBody: JSONReadable, Sendable {
    let role: Role

    init(_ json: JSONField) throws(JSONFieldError) {
        let field = try json.required("role")
        guard let role = Role(rawValue: try field.text(longest: longestName)) else {
            throw field.broken("must be owner, member or guest")
        }
        self.role = role
    }
}

// MARK: - Answers

/// Who is signed in.
struct SessionBody: JSONWritable {
    let hasAccounts: Bool
    /// Whether there is an owner.
    let isSetUp: Bool
    let principal: Principal?
    var hasPassword = true
    /// The name of the OpenID provider, for people who are not signed in; nil if there is none.
    var provider: String?

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("accounts", hasAccounts)
            json.member("setUp", isSetUp)
            json.member("provider", provider)
            if let principal {
                json.member("account") { json in
                    json.object { json in
                        json.member("id", principal.account.description)
                        json.member("name", principal.name)
                        json.member("role", principal.role.rawValue)
                        json.member("scopes", principal.rights.names)
                        json.member("shares", principal.isPerson && principal.rights.contains(.share))
                        json.member("manages", principal.isPerson && principal.rights.contains(.manage))
                        // Only the proxy can sign such a person out.
                        if principal.credential == .proxy { json.member("byProxy", true) }
                        if !hasPassword { json.member("password", false) }
                    }
                }
            }
        }
    }
}

/// What the page of a share learns of it.
struct VisitBody: JSONWritable {
    let visit: ShareVisit

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("accounts", true)
            json.member("setUp", true)
            json.member("share") { json in
                json.object { json in
                    json.member("name", visit.principal == nil ? nil : visit.share.name)
                    json.member("locked", visit.principal == nil)
                    json.member("contents", visit.principal == nil ? nil : visit.share.contents.names)
                }
            }
        }
    }
}

/// What an invitation is for: a role, or an account whose password it sets.
struct PurposeBody: JSONWritable {
    let purpose: Invitation.Purpose
    let name: String?

    func write(to json: inout JSONWriter) {
        json.object { json in
            if case .newAccount(let role) = purpose { json.member("role", role.rawValue) }
            json.member("name", name)
        }
    }
}

struct SessionsBody: JSONWritable {
    let sessions: [Session]
    let own: Principal.Credential

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("sessions") { json in
                json.list(sessions) { json, session in
                    json.object { json in
                        json.member("id", session.id)
                        json.member("agent", session.agent)
                        json.member("address", session.address)
                        json.member("created", Int(session.created))
                        json.member("seen", Int(session.seen))
                        json.member("own", own == .session(session.id) ? true : nil)
                    }
                }
            }
        }
    }
}

struct AppTokensBody: JSONWritable {
    let tokens: [AppToken]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("tokens") { json in json.list(tokens) { Self.write($1, nil, to: &$0) } }
        }
    }

    fileprivate static func write(_ token: AppToken, _ secret: String?, to json: inout JSONWriter) {
        json.object { json in
            json.member("id", token.id)
            json.member("name", token.name)
            json.member("scopes", token.scopes.names)
            json.member("created", Int(token.created))
            json.member("expires", token.expires.map { Int($0) })
            json.member("secret", secret)
        }
    }
}

/// A token with its secret, which is told this once.
struct IssuedTokenBody: JSONWritable {
    let token: AppToken
    let secret: String

    func write(to json: inout JSONWriter) { AppTokensBody.write(token, secret, to: &json) }
}

struct PeopleBody: JSONWritable {
    let people: [Account]
    let invitations: [Invitation]
    let own: AccountID

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("people") { json in
                json.list(people) { json, account in
                    json.object { json in
                        json.member("id", account.id.description)
                        json.member("name", account.name)
                        json.member("role", account.role.rawValue)
                        json.member("created", Int(account.created))
                        json.member("own", account.id == own ? true : nil)
                    }
                }
            }
            json.member("invitations") { json in
                json.list(invitations) { json, invitation in
                    json.object { json in
                        json.member("id", invitation.id)
                        switch invitation.purpose {
                        case .newAccount(let role): json.member("role", role.rawValue)
                        case .password(let account): json.member("account", account.description)
                        }
                        json.member("created", Int(invitation.created))
                        json.member("expires", Int(invitation.expires))
                    }
                }
            }
        }
    }
}

/// The code of an invitation, and the page that accepts it: relative to the gallery's own address.
struct InvitationLinkBody: JSONWritable {
    let code: String

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code)
            json.member("link", AccountPage.invitation(code))
        }
    }
}

/// The addresses within the page about accounts.
enum AccountPage {
    /// The code stands in the fragment, which browsers do not send: it appears in no log.
    static func invitation(_ code: String) -> String { "account.html#invitation=\(code)" }
}

struct AuditBody: JSONWritable {
    let entries: [AuditEntry]
    let isFull: Bool

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("entries") { json in
                json.list(entries) { json, entry in
                    json.object { json in
                        json.member("number", Int(entry.number))
                        json.member("time", Int(entry.time))
                        json.member("actor", entry.actor)
                        json.member("address", entry.address)
                        json.member("action", entry.action.rawValue)
                        json.member("subject", entry.subject)
                    }
                }
            }
            // The number to continue before; absent at the end.
            json.member("before", isFull ? entries.last.map { Int($0.number) } : nil)
        }
    }
}
