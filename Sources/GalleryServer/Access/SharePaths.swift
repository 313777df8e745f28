import Accounts
import Clients
import HTTPServer
import HTTPTypes

/// Wraps the router: below `/s/KEY/`, the whole gallery appears as the share with this key shows it, with the same pages,
/// API and stream. So a visitor's page needs no other addresses, and the link itself is the credential.
struct SharePaths: Responder {
    /// Nil in a gallery without accounts.
    let accounts: Accounts?
    let cookies: SessionCookies
    let basePath: String
    let inner: any Responder

    static let start = "/s/"
    private static let keyLength = 22

    /// The secret part of a link; nil for a path that no share has.
    static func key(in request: Request) -> String? {
        guard request.path.hasPrefix(start) else { return nil }
        let key = request.path.dropFirst(start.count).prefix { $0 != "/" }
        return key.utf8.count == keyLength ? String(key) : nil
    }

    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        inner.respondImmediately(to: request, from: client)
    }

    func respond(to request: Request, reply: Reply) {
        let path = request.path
        guard let accounts, path.hasPrefix(Self.start) else { return inner.respond(to: request, reply: reply) }
        let key = String(path.dropFirst(Self.start.count).prefix { $0 != "/" })
        let prefix = Self.start + key
        let isWellFormed = key.utf8.count == Self.keyLength
        guard path.utf8.count > prefix.utf8.count else {
            guard isWellFormed else { return reply.send(Problem.noSuchShare.response) }
            return reply.send(Response(status: .permanentRedirect, headers: [.location: "\(basePath)\(prefix)/"]))
        }
        guard accounts.isUpToDate else { return reply.send(Problem.accountsUnavailable.response) }
        let found = isWellFormed ? accounts.visit(key, pass: cookies.pass(in: request)) : nil
        let visit = found.flatMap { $0.isViewReadable ? $0 : nil }
        var inside = request.droppingPathPrefix(prefix.utf8.count)
        inside.requester = visit.map(Requester.share) ?? .nobody(key: key)
        switch inside.path {
        case "/", "/index.html":
            // The other page asks for the password, or says that the link is not valid.
            guard let visit, visit.principal != nil else {
                return inner.respond(to: inside.withPath("/account.html"), reply: reply)
            }
            if request.method == .get { accounts.count(visit) }
            inner.respond(to: inside, reply: reply)
        // A service worker would keep pictures that a visitor may no longer see.
        case "/service-worker.js": reply.send(Problem(.notFound).response)
        default: inner.respond(to: inside, reply: reply)
        }
    }
}

/// The sender of a request: somebody with an account, somebody who follows a link, or somebody who follows one that is not, or
/// no longer, valid.
enum Requester: Sendable {
    case principal(Principal)
    case share(ShareVisit)
    case nobody(key: String)

    /// Who owns limits and fair shares.
    func client(at address: ClientAddress) -> Client {
        switch self {
        case .principal(let principal): .account(principal.account.number)
        case .share, .nobody: .address(address)
        }
    }

    /// The key in the path, if there is one.
    var shareKey: String? {
        switch self {
        case .principal: nil
        case .share(let visit): visit.key
        case .nobody(let key): key
        }
    }
}
