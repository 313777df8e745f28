import Clients
import Scheduling

/// The waiters without an answer, limited in all and per owner, across the owner's sessions.
struct WaitingList {
    let limit: Int
    let limitPerOwner: Int
    private var owners: [LoadWaiter: Flow.Owner] = [:]
    private var held = Tally<Flow.Owner>()

    init(limit: Int, perOwner: Int) {
        self.limit = limit
        limitPerOwner = perOwner
    }

    var count: Int { owners.count }
    var isEmpty: Bool { owners.isEmpty && held.holderCount == 0 }
    var all: [LoadWaiter] { Array(owners.keys) }

    /// Admits one more waiter. Returns nil on success, otherwise the reason for refusing it. Only the overall limit
    /// applies to work without an owner.
    mutating func admit(_ waiter: LoadWaiter, of owner: Flow.Owner) -> LoadFailure? {
        guard owners.count < limit else { return .overloaded }
        let bound = owner == Flow.common.owner ? Int.max : limitPerOwner
        guard held.take(for: owner, upTo: bound) else { return .tooManyWaiting }
        owners[waiter] = owner
        return nil
    }

    /// Removes a waiter that is about to be answered or has left.
    ///
    /// - Returns: Whether it was in the list.
    @discardableResult
    mutating func remove(_ waiter: LoadWaiter) -> Bool {
        guard let owner = owners.removeValue(forKey: waiter) else { return false }
        held.giveBack(by: owner)
        return true
    }
}
