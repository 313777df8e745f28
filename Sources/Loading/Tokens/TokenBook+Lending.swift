import Clients
import Images
import Locking
import Renditions

/// Loans: a request that bears a token of this book came to another node, and is answered there.
///
/// The other node may send the token for as long as its loan is good, by its own clock from the moment at which it asked;
/// here the loan ends later, for it is counted from the moment of the answer. So a cancel is acknowledged when the other node
/// has said that it stopped, or when the loan has lapsed: then it has stopped whatever became of it, of this node, and of
/// the network between them. (Clocks may differ, but have to run: that of a machine which is suspended as a whole does not.)
extension TokenBook {
    /// For how long a loan is good after it was made or renewed last.
    public static let loanTime = Duration.seconds(1)

    struct Loan: Sendable {
        let borrower: NodeTag
        let session: SessionID
        let client: Client?
        var until: Duration
    }

    /// Of one session.
    struct Recalls: Sendable {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Returns once no other node sends any token of this session that has ended: at once unless one had it on loan, and
    /// then within ``loanTime``.
    public func recalled(in session: SessionID) async {
        guard state.withLock({ $0.recalls[session] != nil }) else { return }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.recalls[session] != nil else { return true }
                state.recalls[session]?.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    func recall(_ token: Token, _ loan: Loan) {
        let left = loan.until - time.uptime()
        guard left > .zero else { return recalled(loan.session) }
        relay.recall(token, from: loan.borrower, within: left) { [weak self] in self?.recalled(loan.session) }
    }

    private func recalled(_ session: SessionID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.recalls[session]?.count -= 1
            guard state.recalls[session]?.count == 0 else { return [] }
            return state.recalls.removeValue(forKey: session)?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends what was lent to nodes that have not renewed it: they have died, or cannot be heard.
    public func endLapsedLoans() {
        let now = time.uptime()
        let remains = state.withLock { state -> Remains in
            guard !state.loans.isEmpty else { return Remains() }
            let lapsed = state.loans.filter { $0.value.until < now }.map(\.key)
            for token in lapsed { state.loans[token] = nil }
            return Self.take(lapsed.filter { state.table.end($0, .failed) }, from: &state)
        }
        clear(remains)
    }

    // MARK: - For other nodes

    /// Tokens that other nodes have now.
    public var lentCount: Int { state.withLock { $0.loans.count } }

    /// Lends a token whose request came to another node. It counts as that request's claim: no other has it later.
    ///
    /// What stands behind the token here goes on where all nodes have a share in it, so that it is made once; the rest is
    /// let go.
    public func lend(_ token: Token, image: ImageID, rendition: Rendition, to borrower: NodeTag) -> Lending {
        let now = time.uptime()
        let (lending, remains) = state.withLock { state -> (Lending, Remains) in
            guard state.loans.count < configuration.maximumLoans else { return (.failed(.overloaded), Remains()) }
            switch state.table.claim(token, image: image, rendition: rendition, now: now) {
            case .cancelled: return (.cancelled, Remains())
            case .failed(let failure): return (.failed(failure), Remains())
            case .refused(let refusal): return (.refused(refusal), Remains())
            case .accepted: break
            }
            guard let record = state.table.record(of: token), let request = record.request else {
                return (.refused(.unknown), Remains())
            }
            let client = state.table.client(of: record.session)
            guard state.loans.count(where: { $0.value.client == client }) < configuration.maximumLoansPerClient else {
                let hasEnded = state.table.end(token, .failed)
                return (.failed(.tooManyWaiting), hasEnded ? Self.take([token], from: &state) : Remains())
            }
            var remains = Remains()
            if let content = Self.takeHeld(token, from: &state) { remains.contents.append(content) }
            if SharedName(request) == nil, let loads = state.loads.removeValue(forKey: token) {
                remains.loads += loads.values
            }
            state.loans[token] = Loan(
                borrower: borrower, session: record.session, client: client, until: now + Self.loanTime)
            return (.lent(format: request.format, insists: request.bypassNegativeCache), remains)
        }
        clear(remains)
        return lending
    }

    /// Lets a node go on with what it has borrowed.
    ///
    /// - Returns: Those of the tokens that it still has.
    public func renew(_ tokens: [Token], of borrower: NodeTag) -> [Token] {
        let now = time.uptime()
        return state.withLock { state in
            tokens.filter { token in
                guard let loan = state.loans[token], loan.borrower == borrower, loan.until >= now else { return false }
                state.loans[token]?.until = now + Self.loanTime
                return true
            }
        }
    }

    /// A node has dealt with a token that it borrowed. Does nothing unless that node has it.
    public func end(_ token: Token, _ end: TokenEnd, by borrower: NodeTag) {
        let remains = state.withLock { state -> Remains in
            guard state.loans[token]?.borrower == borrower else { return Remains() }
            state.loans[token] = nil
            _ = end == .delivered && state.table.send(token)
            return state.table.end(token, end) ? Self.take([token], from: &state) : Remains()
        }
        clear(remains)
    }
}
