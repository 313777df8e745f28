import Clients
import EventLoops
import Loading
import Redis

/// What other nodes ask this one as the home of sessions. On the loop.
extension RedisRelay {
    func serve(_ message: RelayMessage) {
        guard let host else { return }
        let (sender, number) = (message.sender, message.number)
        switch message.body {
        case .borrow(let token, let image, let rendition):
            // Told in the turn of the loop in which it is decided: no recall comes before it.
            let lending = host.lend(token, image: image, rendition: rendition, to: sender)
            publish(.lending(lending), number: number, to: sender)
        case .renew(let tokens): publish(.renewed(host.renew(tokens, of: sender)), number: number, to: sender)
        case .ended(let token, let end):
            host.end(token, end, by: sender)
            tellWhenAtRest()
        case .issue(let order) where order.session.home == node:
            work(message) { [self] done in
                host.issue(order) { [self] in answer(message, $0.map { .issued($0) }, done) }
            }
        case .cancel(let tokens, let session, let client) where session.home == node:
            work(message) { [self] done in
                host.cancel(tokens, in: session, for: client) { [self] in
                    answer(message, $0.map { .cancelled($0) }, done)
                }
            }
        default: break
        }
    }

    private func work(_ message: RelayMessage, _ work: (_ done: @escaping @Sendable () -> Void) -> Void) {
        guard hosted < Self.mostHosted else { return publish(.crowded, number: message.number, to: message.sender) }
        hosted += 1
        work { [self] in
            hosted -= 1
            tellWhenAtRest()
        }
    }

    /// Comes back when no other node waits for an answer of this one, nor sends what it has borrowed of it; or after so long,
    /// or when nobody can be reached.
    func finish(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            client.loop.execute { [self] in
                let timer = client.loop.schedule(after: limit) { [weak self] in self?.whenAtRest.take()?() }
                whenAtRest = {
                    timer.cancel()
                    continuation.resume()
                }
                tellWhenAtRest()
            }
        }
    }

    func tellWhenAtRest() {
        guard whenAtRest != nil else { return }
        let owes = hosted > 0 || (host?.settleLoans() ?? 0) > 0
        if !owes || !client.isConnected { whenAtRest.take()?() }
    }

    /// From any thread. Of what failed nothing is said but that there was too much.
    private func answer(
        _ message: RelayMessage, _ result: Result<RelayMessage.Body, RelayFailure>,
        _ done: @escaping @Sendable () -> Void
    ) {
        client.loop.execute { [self] in
            done()
            switch result {
            case .success(let body): publish(body, number: message.number, to: message.sender)
            case .failure(.crowded): publish(.crowded, number: message.number, to: message.sender)
            case .failure: break
            }
        }
    }
}
