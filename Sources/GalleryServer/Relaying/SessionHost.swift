import Catalog
import Clients
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// Does for other nodes what they are asked for of this node's sessions, as if it had been asked here.
struct SessionHost: SessionHosting {
    let catalog: Catalog
    let tokens: TokenBook
    let turns: WorkTurns

    func settleLoans() -> Int {
        tokens.endLapsedLoans()
        return tokens.lentCount
    }

    func issue(
        _ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void
    ) {
        work(for: order.client, in: order.session, answer) { try await issue(order) }
    }

    /// In the client's turn; what comes of it is told once no node sends what was cancelled by it.
    private func work<Value: Sendable>(
        for client: Client, in session: SessionID, _ answer: @escaping @Sendable (Result<Value, RelayFailure>) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do {
                let value = try await turns.take(for: client, work)
                await tokens.recalled(in: session)
                answer(.success(value))
            } catch {
                let isCrowded = (error as? Problem)?.status == .tooManyRequests
                answer(.failure(isCrowded ? .crowded : .silent))
            }
        }
    }

    private func issue(_ order: RelayedOrder) async throws -> [Token?] {
        let images = try await catalog.images(order.slots.map(\.image))
        let wishes = order.slots.compactMap { slot in
            images[slot.image].map { image in
                TokenBook.Wish(
                    slot: slot.number,
                    request: LoadRequest(
                        image: image, rendition: order.rendition, format: order.format,
                        bypassNegativeCache: order.insists),
                    lane: order.isVisible ? .visible : .prefetch)
            }
        }
        var issued = tokens.issue(wishes, session: order.session, client: order.client).tokens[...]
        return order.slots.map { slot in images[slot.image] == nil ? nil : issued.popFirst()?.token }
    }

    func cancel(
        _ named: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) {
        work(for: client, in: session, answer) {
            named.map { tokens.cancel($0, in: session) } ?? tokens.close(session)
        }
    }

    func lend(_ token: Token, image: ImageID, rendition: Rendition, to borrower: NodeTag) -> Lending {
        tokens.lend(token, image: image, rendition: rendition, to: borrower)
    }

    func renew(_ named: [Token], of borrower: NodeTag) -> [Token] { tokens.renew(named, of: borrower) }

    func end(_ token: Token, _ end: TokenEnd, by borrower: NodeTag) { tokens.end(token, end, by: borrower) }
}
