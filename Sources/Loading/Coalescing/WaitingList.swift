import Clients
import Scheduling

/// Those who wait for a load and have no answer yet: so many in all, and so many of one owner, whatever it calls itself.
struct WaitingList {
    private struct Entry {
        let waiter: LoadWaiter
        let owner: Flow.Owner
    }

    let limit: Int
    let limitPerOwner: Int
    private var entries: [LoadMachine.WaiterID: Entry] = [:]
    private var held = Tally<Flow.Owner>()

    init(limit: Int, perOwner: Int) {
        self.limit = limit
        limitPerOwner = perOwner
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty && held.holderCount == 0 }
    var ids: [LoadMachine.WaiterID] { Array(entries.keys) }

    /// Admits one more; nil when it is in, otherwise why not. Work that is nobody's has the bound of all alone.
    mutating func admit(_ waiter: LoadWaiter, of owner: Flow.Owner) -> LoadFailure? {
        guard entries.count < limit else { return .overloaded }
        let bound = owner == Flow.common.owner ? Int.max : limitPerOwner
        guard held.take(for: owner, upTo: bound) else { return .tooManyWaiting }
        entries[waiter.id] = Entry(waiter: waiter, owner: owner)
        return nil
    }

    /// Takes out one that is to be answered, or that has left.
    mutating func remove(_ id: LoadMachine.WaiterID) -> LoadWaiter? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        held.giveBack(by: entry.owner)
        return entry.waiter
    }
}
