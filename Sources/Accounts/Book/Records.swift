import Encodings

// The bodies of the library's records, as JSON. Members may be added, and never change their meaning.

extension Account {
    var record: LibraryRecord {
        LibraryRecord(.account, id.description) { json in
            json.member("name", name)
            json.member("role", role.rawValue)
            json.member("password", passwordHash)
            json.member("issuer", identity?.issuer)
            json.member("subject", identity?.subject)
            json.member("epoch", Int(epoch))
            json.member("created", Int(created))
        }
    }

    init(_ id: AccountID, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        var identity: OpenIDIdentity?
        if let issuer = try json["issuer"]?.text(), let subject = try json["subject"]?.text() {
            identity = OpenIDIdentity(issuer: issuer, subject: subject)
        }
        self.init(
            id: id, name: try json.required("name").text(), role: try json.required("role").named(Role.init),
            passwordHash: try json.required("password").text(), identity: identity,
            epoch: UInt32(try json.required("epoch").integer(in: 0...Int(UInt32.max))),
            created: try json.required("created").time())
    }
}

extension Session {
    var record: LibraryRecord {
        LibraryRecord(.session, id) { json in
            json.member("account", account.description)
            json.member("digest", digest)
            json.member("previous", previous?.digest)
            json.member("previousUntil", previous.map { Int($0.until) })
            json.member("created", Int(created))
            json.member("rotated", Int(rotated))
            json.member("seen", Int(seen))
            json.member("agent", agent)
            json.member("address", address)
        }
    }

    init(_ id: String, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        var previous: Previous?
        if let digest = try json["previous"]?.text(), let until = try json["previousUntil"]?.time() {
            previous = Previous(digest: digest, until: until)
        }
        self.init(
            id: id, account: try json.required("account").named(AccountID.init),
            digest: try json.required("digest").text(), previous: previous,
            created: try json.required("created").time(), rotated: try json.required("rotated").time(),
            seen: try json.required("seen").time(), agent: try json.required("agent").text(),
            address: try json.required("address").text())
    }
}

extension Passkey {
    var record: LibraryRecord {
        LibraryRecord(.passkey, id) { json in
            json.member("account", account.description)
            json.member("name", name)
            json.member("credential", Base64.url.encode(credential))
            json.member("algorithm", key.algorithm.rawValue)
            json.member("key", Base64.url.encode(key.der))
            json.member("counter", Int(counter))
            json.member("created", Int(created))
            json.member("used", used.map { Int($0) })
            json.member("challenge", challenge.map { Base64.url.encode($0) })
        }
    }

    init(_ id: String, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        let der = try json.required("key")
        guard let algorithm = PublicKey.Algorithm(rawValue: try json.required("algorithm").integer()),
            let key = PublicKey(algorithm, der: try der.base64url())
        else { throw der.broken("must be a public key") }
        self.init(
            id: id, account: try json.required("account").named(AccountID.init),
            name: try json.required("name").text(), credential: try json.required("credential").base64url(), key: key,
            counter: UInt32(try json.required("counter").integer(in: 0...Int(UInt32.max))),
            created: try json.required("created").time(), used: try json["used"]?.time(),
            challenge: try json["challenge"]?.base64url())
    }
}

extension AppToken {
    var record: LibraryRecord {
        LibraryRecord(.appToken, id) { json in
            json.member("account", account.description)
            json.member("name", name)
            json.member("digest", digest)
            json.member("scopes", scopes.names)
            json.member("created", Int(created))
            json.member("expires", expires.map { Int($0) })
        }
    }

    init(_ id: String, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        self.init(
            id: id, account: try json.required("account").named(AccountID.init),
            name: try json.required("name").text(), digest: try json.required("digest").text(),
            scopes: try json.required("scopes").options(), created: try json.required("created").time(),
            expires: try json["expires"]?.time())
    }
}

extension Invitation {
    var record: LibraryRecord {
        LibraryRecord(.invitation, id) { json in
            json.member("digest", digest)
            switch purpose {
            case .newAccount(let role): json.member("role", role.rawValue)
            case .password(let account): json.member("account", account.description)
            }
            json.member("issuer", issuer?.description)
            json.member("created", Int(created))
            json.member("expires", Int(expires))
        }
    }

    init(_ id: String, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        let purpose: Purpose =
            if let account = try json["account"] {
                .password(of: try account.named(AccountID.init))
            } else {
                .newAccount(try json.required("role").named(Role.init))
            }
        self.init(
            id: id, digest: try json.required("digest").text(), purpose: purpose,
            issuer: try json["issuer"]?.named(AccountID.init),
            created: try json.required("created").time(), expires: try json.required("expires").time())
    }
}

extension Share {
    var record: LibraryRecord {
        LibraryRecord(.share, id) { json in
            json.member("account", account.description)
            json.member("name", name)
            json.member("view", view)
            if !images.isEmpty { json.member("images", images.map { String($0, radix: 16) }) }
            json.member("created", Int(created))
            json.member("expires", expires.map { Int($0) })
            json.member("password", passwordHash)
            json.member("contents", contents.names)
            json.member("visits", visits)
        }
    }

    init(_ id: String, _ body: [UInt8]) throws {
        let json = try JSONField(body)
        self.init(
            id: id, account: try json.required("account").named(AccountID.init),
            name: try json.required("name").text(), view: try json.required("view").text(),
            images: try json["images"]?.list { (id) throws(JSONFieldError) in
                try id.named { UInt64($0, radix: 16) }
            } ?? [],
            created: try json.required("created").time(), expires: try json["expires"]?.time(),
            passwordHash: try json["password"]?.text(), contents: try json.required("contents").options(),
            visits: try json.required("visits").integer())
    }
}

extension InstallationSecret {
    static let recordID = "installation"

    var record: LibraryRecord {
        LibraryRecord(.secret, Self.recordID) { $0.member("bytes", Base64.url.encode(bytes)) }
    }

    init?(_ record: LibraryRecord) throws {
        guard record.kind == .secret, record.id == Self.recordID, let body = record.body else { return nil }
        guard let bytes = Base64.url.decode(try JSONField(body).required("bytes").text()) else { return nil }
        self.init(bytes)
    }
}

extension LibraryRecord {
    fileprivate init(_ kind: Kind, _ id: String, _ members: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(members)
        self.init(kind, id, json.bytes)
    }
}

extension JSONField {
    fileprivate func time() throws(JSONFieldError) -> Int64 { Int64(try integer()) }

    fileprivate func named<Value>(_ value: (String) -> Value?) throws(JSONFieldError) -> Value {
        guard let value = value(try text()) else { throw broken("has an unknown value") }
        return value
    }
}
