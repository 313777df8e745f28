import HTTPServer
import Loading

/// A body that continues only while its token is alive. The connection pulls a frame when the socket is writable, and
/// each pull checks the token first: once a cancel is acknowledged, no frame follows except the one already being
/// written.
final class TokenBody: BodyStream {
    private let token: Token
    private let tokens: any TokenSending
    private let inner: any BodyStream

    init(_ inner: any BodyStream, token: Token, tokens: any TokenSending) {
        self.inner = inner
        self.token = token
        self.tokens = tokens
    }

    var heldBytes: Int { inner.heldBytes }
    var readsFile: Bool { inner.readsFile }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        guard tokens.mayContinue(token) else { return .aborted }
        return inner.pull(upTo: limit, wake: wake)
    }

    func ended(_ end: BodyEnd) {
        inner.ended(end)
        switch end {
        case .complete: tokens.finish(token, .delivered)
        case .disconnected: tokens.finish(token, .cancelled)
        case .aborted: tokens.finish(token, .failed)
        }
    }
}
