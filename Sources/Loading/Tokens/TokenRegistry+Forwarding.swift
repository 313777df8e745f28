import Clients
import Images
import Locking
import Renditions

/// Forwarded tokens: a request with a token of this node arrived at another node, and is answered there.
///
/// The other node may send the token until its grant expires, counted on its own clock from the moment of its request.
/// Here the grant expires later, because it is counted from the moment of the reply. So a cancel is acknowledged when
/// the other node has confirmed that it stopped, or when the grant has expired: by then it has stopped, whatever
/// happened to it, to this node and to the network between them. (The clocks may differ, but both must run. A node
/// suspended as a whole breaks this promise.)
extension TokenRegistry {
    /// How long a grant is valid after it was made or last renewed.
    public static let grantTime = Duration.seconds(1)

    /// The revocations of one session that are not yet acknowledged.
    struct Revocations: Sendable {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Returns once no other node sends any ended token of this session: at once if none was forwarded, otherwise
    /// within ``grantTime``.
    public func revoked(in session: SessionID) async {
        guard state.withLock({ $0.revocations[session] != nil }) else { return }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.revocations[session] != nil else { return true }
                state.revocations[session]?.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    func revoke(_ token: Token, _ grant: ForwardingGrantTable.Grant) {
        let left = grant.until - time.uptime()
        guard left > .zero else { return revoked(grant.session) }
        forwarding.revoke(token, from: grant.forwarder, within: left) { [weak self] in self?.revoked(grant.session) }
    }

    private func revoked(_ session: SessionID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.revocations[session]?.count -= 1
            guard state.revocations[session]?.count == 0 else { return [] }
            return state.revocations.removeValue(forKey: session)?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends grants that other nodes have not renewed, because those nodes died or cannot be reached.
    public func endLapsedGrants() {
        let now = time.uptime()
        let cleanup = state.withLock { state -> Cleanup in
            guard !state.grants.isEmpty else { return Cleanup() }
            let lapsed = state.grants.lapsed(by: now)
            for token in lapsed { state.grants.remove(token) }
            return Self.take(lapsed.filter { state.table.end($0, .failed) }, from: &state)
        }
        clear(cleanup)
    }

    // MARK: - For other nodes

    /// The number of tokens forwarded to other nodes now.
    public var permittedCount: Int { state.withLock { $0.grants.count } }

    /// Permits another node to answer a request with this token. That counts as the token's one request, so later
    /// requests are refused.
    ///
    /// A load whose rendition the nodes share continues here, so that it is made once. Any other load is cancelled.
    public func grantForwarding(_ token: Token, image: ImageID, rendition: Rendition, to forwarder: NodeTag)
        -> ForwardingReply
    {
        let now = time.uptime()
        let (reply, cleanup) = state.withLock { state -> (ForwardingReply, Cleanup) in
            guard state.grants.count < configuration.maximumGrants else { return (.failed(.overloaded), Cleanup()) }
            switch state.table.claim(token, image: image, rendition: rendition, now: now) {
            case .cancelled: return (.cancelled, Cleanup())
            case .failed(let failure): return (.failed(failure), Cleanup())
            case .refused(let refusal): return (.refused(refusal), Cleanup())
            case .accepted: break
            }
            guard let record = state.table.record(of: token), let request = record.request,
                let client = state.table.client(of: record.session)
            else { return (.refused(.unknown), Cleanup()) }
            let grant = ForwardingGrantTable.Grant(
                forwarder: forwarder, session: record.session, client: client, until: now + Self.grantTime)
            guard state.grants.add(grant, of: token, upTo: configuration.maximumGrantsPerClient) else {
                let hasEnded = state.table.end(token, .failed)
                return (.failed(.tooManyWaiting), hasEnded ? Self.take([token], from: &state) : Cleanup())
            }
            var cleanup = Cleanup()
            if let content = Self.takeHeld(token, from: &state) { cleanup.contents.append(content) }
            if SharedName(request) == nil, let load = state.loads.removeValue(forKey: token) {
                cleanup.loads.append(load)
            }
            return (.permitted(format: request.format, bypassesNegativeCache: request.bypassesNegativeCache), cleanup)
        }
        clear(cleanup)
        return reply
    }

    /// Renews the grants of a node.
    ///
    /// - Returns: The tokens whose grants are still valid.
    public func renew(_ tokens: [Token], of forwarder: NodeTag) -> [Token] {
        let now = time.uptime()
        return state.withLock { state in
            tokens.filter { token in
                guard let grant = state.grants[token], grant.forwarder == forwarder, grant.until >= now else {
                    return false
                }
                state.grants.extend(token, until: now + Self.grantTime)
                return true
            }
        }
    }

    /// Ends a token that a node has finished with. Does nothing unless that node has the grant.
    public func end(_ token: Token, _ end: TokenEnd, by forwarder: NodeTag) {
        let cleanup = state.withLock { state -> Cleanup in
            guard state.grants[token]?.forwarder == forwarder else { return Cleanup() }
            state.grants.remove(token)
            _ = end == .delivered && state.table.send(token)
            return state.table.end(token, end) ? Self.take([token], from: &state) : Cleanup()
        }
        clear(cleanup)
    }
}
