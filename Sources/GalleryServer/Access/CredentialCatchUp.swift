import Accounts
import Clients
import HTTPServer

/// Before a gallery with several nodes refuses a credential that this node does not know, the node reads what the others have
/// written: one of them may just have issued it.
struct CredentialCatchUp: Responder {
    /// Nil if no other node issues credentials.
    private let accounts: Accounts?
    private let access: AccessControl
    private let inner: any Responder

    init(access: AccessControl, inner: any Responder) {
        self.access = access
        self.inner = inner
        accounts = access.accounts.flatMap { $0.isShared ? $0 : nil }
    }

    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        inner.respondImmediately(to: request, from: client)
    }

    func respond(to request: Request, reply: Reply) {
        guard let accounts, access.hasUnknownCredentials(request) else {
            return inner.respond(to: request, reply: reply)
        }
        Task(executorPreference: request.loop) {
            await accounts.catchUp()
            inner.respond(to: request, reply: reply)
        }
    }
}
