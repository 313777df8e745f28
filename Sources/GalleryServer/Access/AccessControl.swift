import Accounts
import Catalog
import Clients
import HTTPServer
import HTTPTypes
import Images

/// Decides who may use a route.
struct AccessControl: Sendable {
    /// Nil if the gallery is open to everybody.
    let accounts: Accounts?
    /// Nil if the gallery is open to everybody.
    let links: SignedLinks?
    /// Nil if no proxy signs people in.
    let forwardAuth: ForwardAuth?
    let crossOrigin: CrossOriginPolicy
    let cookies: SessionCookies

    /// The request with its ``HTTPServer/Request/requester``, if it may use a route with this rule.
    ///
    /// - Throws: A `Problem`: 401 without a valid credential, 403 with one that is not enough, 404 for routes about
    ///   accounts in a gallery without, and for everything that a share does not show; 503 while this node
    ///   cannot know what other nodes have changed.
    func admit(_ request: Request, _ rule: AccessRule) throws(Problem) -> Request {
        try requireOwnPage(request, rule)
        guard let accounts else {
            if [.account, .share, .manage].contains(rule) { throw .noAccounts }
            return request
        }
        // What another node has ended must not be accepted here.
        guard accounts.isUpToDate || [.everyone, .secret].contains(rule) else { throw .accountsUnavailable }
        if let requester = request.requester as? Requester {
            try admit(requester, rule)
            return request.sent(by: requester)
        }
        if [.everyone, .entrance, .secret].contains(rule) {
            // Such a route also works for somebody whose session has ended.
            guard let principal = try? principal(of: request, accounts) else { return request }
            return request.sent(by: .principal(principal))
        }
        if rule == .picture, request.query.values(of: "r").count > 0 { return request }
        guard let principal = try principal(of: request, accounts) else {
            throw accounts.hasOwner ? .signIn : .notSetUp
        }
        let isAdmitted =
            switch rule {
            case .view, .picture: principal.rights.contains(.view)
            case .operate: principal.rights.contains(.operate)
            case .account: principal.isPerson
            case .share: principal.isPerson && principal.rights.contains(.share)
            case .manage: principal.isPerson && principal.rights.contains(.manage)
            default: false
            }
        guard isAdmitted else { throw .notAllowed }
        accounts.noteUse(principal, from: request.sender)
        return request.sent(by: .principal(principal))
    }

    /// A share consists of pictures. A link that is not valid, or no longer, is like one that never was.
    private func admit(_ requester: Requester, _ rule: AccessRule) throws(Problem) {
        if rule == .everyone { return }
        guard rule == .view || rule == .picture, case .share(let visit) = requester else { throw .noSuchShare }
        guard visit.principal != nil else { throw .locked }
    }

    /// The person whom a proxy has signed in, with an account that is made at the first visit; nil for others.
    ///
    /// - Throws: A `Problem`, as for a request that is refused.
    func signInByProxy(_ request: Request) async throws(Problem) -> Principal? {
        guard let accounts, let person = try forwardAuth?.person(in: request) else { return nil }
        return try await problems { () async throws(AccountsError) in
            try await accounts.signIn(person, from: request.sender)
        }
    }

    /// Whether the sender may see the state of the server.
    func mayOperate(_ request: Request) -> Bool {
        accounts == nil || request.principal?.rights.contains(.operate) == true
    }

    /// Checks that a request may have a rendition: by the link in its URL, or else by who sends it.
    ///
    /// - Returns: The request, which counts for the account of the link, if it has one.
    /// - Throws: A `Problem`: 404 for a link that is not, or no longer, valid, as if there were no such image; 403.
    func admit(
        _ request: Request, to rendition: Rendition, of image: ImageID, _ version: ContentVersion?
    ) throws(Problem) -> Request {
        guard let links else { return request }
        let texts = request.query.values(of: "r")
        guard texts.isEmpty || request.visit != nil else {
            guard texts.count == 1, let link = SignedLink(texts[0]), links.opens(link, image, version, rendition)
            else {
                throw .noSuchImage
            }
            var request = request
            request.client = .account(link.account.number)
            return request
        }
        guard !rendition.isFile || request.principal?.rights.contains(.originals) == true else { throw .notAllowed }
        return request
    }

    // MARK: - Credentials

    /// The sender of the request. An app token in `Authorization` takes precedence, because it grants less than a person has;
    /// then the person whom a proxy names, and then cookies. A valid cookie does not make up for an invalid token.
    ///
    /// - Throws: A `Problem`: 401 for an invalid or an ambiguous credential, 400 for fields of a proxy that are refused.
    private func principal(of request: Request, _ accounts: Accounts) throws(Problem) -> Principal? {
        let person = try forwardAuth?.person(in: request)
        let fields = request.headers.values(of: .authorization)
        if fields.count == 1, let token = BearerSecret.text(in: fields[0]), AppToken.isOne(token) {
            guard let principal = accounts.principal(appToken: token) else { throw .signIn }
            return principal
        }
        if let person {
            // The page asks for its session then, which makes the account.
            guard let principal = accounts.principal(person) else { throw .signIn }
            return principal
        }
        guard fields.isEmpty else { throw .signIn }
        return cookies.secrets(in: request).lazy.compactMap { accounts.principal(session: $0) }.first
    }

    /// Whether the request carries credentials, and this node knows none of them.
    func hasUnknownCredentials(_ request: Request) -> Bool {
        guard let accounts else { return false }
        if let key = SharePaths.key(in: request) { return accounts.visit(key, pass: nil) == nil }
        let isByProxy = (try? forwardAuth?.person(in: request)) != nil
        guard isByProxy || request.headers.contains(.authorization) || !cookies.secrets(in: request).isEmpty else {
            return false
        }
        let principal = try? principal(of: request, accounts)
        return principal == nil
    }

    // MARK: - Other sites

    /// Refuses requests that change something and that a page of another site makes the browser send, with the principal's
    /// cookies (cross-site request forgery).
    ///
    /// Browsers send `Sec-Fetch-Site`, which says whose page sent a request (Fetch Metadata §2.3). Older ones, and all
    /// browsers without TLS, send only `Origin`. Other programs send neither, and only cookies that they were given.
    private func requireOwnPage(_ request: Request, _ rule: AccessRule) throws(Problem) {
        guard ![.get, .head, .options].contains(request.method), rule != .secret else { return }
        let origin = request.headers[.origin]
        // Pages of an allowed origin may use the pictures' API, and never act for a person.
        if let origin, rule == .view, crossOrigin.allows(origin) { return }
        switch (request.headers[.secFetchSite], origin) {
        case ("same-origin"?, _), ("none"?, _), (nil, nil): return
        case (nil, let origin?) where crossOrigin.isSame(origin, as: request.authority): return
        default:
            throw Problem(
                .forbidden, title: "This page is not allowed to change anything",
                detail: "The request comes from a page of another site.")
        }
    }
}

extension Request {
    /// The request with its ``HTTPServer/Request/requester``, who also owns the limits that it counts for.
    fileprivate func sent(by requester: Requester) -> Request {
        var request = self
        request.requester = requester
        request.client = requester.client(at: address)
        return request
    }

    /// The sender of the request; nil in a gallery without accounts, and for strangers on routes that are for everybody.
    var principal: Principal? {
        switch requester as? Requester {
        case .principal(let principal)?: principal
        case .share(let visit)?: visit.principal
        case .nobody?, nil: nil
        }
    }

    /// The visit, if the request lies below the path of a share.
    var visit: ShareVisit? {
        guard case .share(let visit)? = requester as? Requester else { return nil }
        return visit
    }

    /// The part of the gallery that exists for the request; nil for the whole.
    var scope: View.Scope? { visit.flatMap { $0.scope } }

    /// Whether the request may learn this about pictures.
    func learns(_ contents: Share.Contents) -> Bool { visit.map { $0.share.contents.contains(contents) } ?? true }

    /// The accounts, and whom the request comes from. Only for routes whose rule asks for an account.
    ///
    /// - Throws: A `Problem` with status 404 in a gallery without accounts.
    func signedIn(_ accounts: Accounts?) throws(Problem) -> (Accounts, Principal) {
        guard let accounts, let principal else { throw .noAccounts }
        return (accounts, principal)
    }

    /// Where the request comes from, for the audit log.
    var sender: Sender { Sender(address: "\(address)", agent: headers[.userAgent] ?? "") }
}

extension ShareVisit {
    /// What the share shows; nil for the whole gallery.
    var scope: View.Scope? {
        guard share.images.isEmpty else { return View.Scope(Set(share.images.map(ImageID.init(rawValue:)))) }
        return (try? View(text: share.view)).flatMap { View.Scope(of: $0) }
    }

    /// Whether it is known what the share shows: another version of the program may have read its view otherwise.
    var isViewReadable: Bool { share.view.isEmpty || scope != nil }
}

extension Problem {
    static let signIn = Problem(
        .unauthorized, title: "Sign in", detail: "The gallery has accounts. Sign in, or send an app token.",
        headers: [.wwwAuthenticate: #"Bearer realm="tessera""#])
    static let notSetUp = Problem(
        .unauthorized, title: "The gallery is not set up",
        detail: "Open the link that the server printed when it started, to make the owner's account.",
        headers: [.wwwAuthenticate: #"Bearer realm="tessera""#])
    static let notAllowed = Problem(
        .forbidden, title: "Not allowed", detail: "This account or app token is not allowed to do this.")
    static let noSuchShare = Problem(
        .notFound, title: "This link is not valid", detail: "The share has ended, or the link is incomplete.")
    static let locked = Problem(
        .unauthorized, title: "Enter the password", detail: "This link is protected by a password.",
        headers: [.wwwAuthenticate: #"Bearer realm="share""#])
    static let accountsUnavailable = Problem(
        .serviceUnavailable, title: "Accounts cannot be checked",
        detail: "The database with the accounts cannot be reached. Try again in a moment.",
        headers: [.retryAfter: "2"])
    static let noAccounts = Problem(
        .notFound, title: "No accounts", detail: "This gallery is open to everybody and has no accounts.")
}

extension HTTPField.Name {
    static let secFetchSite = Self("Sec-Fetch-Site")!
}
