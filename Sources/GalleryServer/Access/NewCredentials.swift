import Accounts
import Clients
import HTTPServer

/// Wraps the gallery of several nodes: before a credential is refused because this node does not know it, the node reads
/// what others have written, in case somebody has just signed in, or made a link, on one of them.
struct NewCredentials: Responder {
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
        guard let accounts, access.isUnknown(request) else { return inner.respond(to: request, reply: reply) }
        Task(executorPreference: request.loop) {
            await accounts.catchUp()
            inner.respond(to: request, reply: reply)
        }
    }
}
