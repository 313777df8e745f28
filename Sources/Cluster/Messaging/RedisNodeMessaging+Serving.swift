import Clients
import EventLoops
import Loading
import Redis

/// Requests from other nodes about sessions that live on this one. On the loop.
extension RedisNodeMessaging {
    func serve(_ message: NodeMessage) {
        guard let owner else { return }
        let (sender, number) = (message.sender, message.number)
        switch message.body {
        case .requestForwarding(let token, let image, let rendition):
            // Published in the same turn of the loop as the decision, so that no recall can overtake it.
            let reply = owner.grantForwarding(token, image: image, rendition: rendition, to: sender)
            publish(.reply(reply), number: number, to: sender)
        case .renew(let tokens): publish(.renewed(owner.renew(tokens, of: sender)), number: number, to: sender)
        case .ended(let token, let end):
            owner.end(token, end, by: sender)
            notifyIfIdle()
        case .issue(let tokenRequest) where tokenRequest.session.ownerNode == node:
            work(message) { [self] done in
                owner.issue(tokenRequest) { [self] in answer(message, $0.map { .issued($0) }, done) }
            }
        case .cancel(let tokens, let session, let client) where session.ownerNode == node:
            work(message) { [self] done in
                owner.cancel(tokens, in: session, for: client) { [self] in
                    answer(message, $0.map { .cancelled($0) }, done)
                }
            }
        default: break
        }
    }

    private func work(_ message: NodeMessage, _ work: (_ done: @escaping @Sendable () -> Void) -> Void) {
        guard requestsInService < Self.maximumRequestsInService else {
            return publish(.overloaded, number: message.number, to: message.sender)
        }
        requestsInService += 1
        work { [self] in
            requestsInService -= 1
            notifyIfIdle()
        }
    }

    /// Returns when no other node is waiting for a reply from this one or sending a token borrowed from it, when
    /// `limit` has passed, or when no node can be reached.
    func finish(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            client.loop.execute { [self] in
                let timer = client.loop.schedule(after: limit) { [weak self] in self?.onIdle.take()?() }
                onIdle = {
                    timer.cancel()
                    continuation.resume()
                }
                notifyIfIdle()
            }
        }
    }

    func notifyIfIdle() {
        guard onIdle != nil else { return }
        let owes = requestsInService > 0 || (owner?.settleGrants() ?? 0) > 0
        if !owes || !client.isConnected { onIdle.take()?() }
    }

    /// Callable from any thread. Of failures, only overload is reported; the others just time out.
    private func answer(
        _ message: NodeMessage, _ result: Result<NodeMessage.Body, ForwardingFailure>,
        _ done: @escaping @Sendable () -> Void
    ) {
        client.loop.execute { [self] in
            done()
            switch result {
            case .success(let body): publish(body, number: message.number, to: message.sender)
            case .failure(.overloaded): publish(.overloaded, number: message.number, to: message.sender)
            case .failure: break
            }
        }
    }
}
