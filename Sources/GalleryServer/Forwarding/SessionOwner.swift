import Catalog
import Clients
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// Answers other nodes' requests about the sessions that this node owns, as if the client had sent them here.
struct SessionOwner: SessionOwning {
    let catalog: Catalog
    let tokens: TokenRegistry
    let workQueue: FairWorkQueue

    func settleGrants() -> Int {
        tokens.endLapsedGrants()
        return tokens.permittedCount
    }

    func issue(
        _ tokenRequest: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    ) {
        work(for: tokenRequest.client, in: tokenRequest.session, answer) { try await issue(tokenRequest) }
    }

    /// Runs the work under the client's fair share. The result is delivered only once no node sends a token that it has
    /// cancelled.
    private func work<Value: Sendable>(
        for client: Client, in session: SessionID,
        _ answer: @escaping @Sendable (Result<Value, ForwardingFailure>) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do {
                let value = try await workQueue.run(for: client, work)
                await tokens.revoked(in: session)
                answer(.success(value))
            } catch {
                let isCrowded = (error as? Problem)?.status == .tooManyRequests
                answer(.failure(isCrowded ? .overloaded : .silent))
            }
        }
    }

    private func issue(_ tokenRequest: ForwardedTokenRequest) async throws -> [Token?] {
        let images = try await catalog.images(tokenRequest.slots.map(\.image))
        let requests = tokenRequest.slots.compactMap { slot in
            images[slot.image].map { image in
                TokenRegistry.TokenRequest(
                    slot: slot.number,
                    request: LoadRequest(
                        image: image, rendition: tokenRequest.rendition, format: tokenRequest.format,
                        bypassesNegativeCache: tokenRequest.bypassesNegativeCache),
                    level: tokenRequest.isVisible ? .visible : .prefetch)
            }
        }
        var issued = tokens.issue(requests, session: tokenRequest.session, client: tokenRequest.client).tokens[...]
        return tokenRequest.slots.map { slot in images[slot.image] == nil ? nil : issued.popFirst()?.token }
    }

    func cancel(
        _ named: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) {
        work(for: client, in: session, answer) {
            named.map { tokens.cancel($0, in: session) } ?? tokens.close(session)
        }
    }

    func grantForwarding(_ token: Token, image: ImageID, rendition: Rendition, to forwarder: NodeTag) -> ForwardingReply
    {
        tokens.grantForwarding(token, image: image, rendition: rendition, to: forwarder)
    }

    func renew(_ named: [Token], of forwarder: NodeTag) -> [Token] { tokens.renew(named, of: forwarder) }

    func end(_ token: Token, _ end: TokenEnd, by forwarder: NodeTag) { tokens.end(token, end, by: forwarder) }
}
