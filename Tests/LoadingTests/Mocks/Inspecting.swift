import Clients
import Images
import Locking

@testable import Loading

/// State that only tests inspect.
extension LoadCoordinator {
    /// Returns when every event queued before has been handled.
    func settled() async { await now { _ in } }

    /// Returns once the counts satisfy the condition, or when the test's time limit is over.
    func reached(_ condition: @escaping @Sendable (LoadStatistics) -> Bool) async {
        while !condition(statistics), !Task.isCancelled {
            await settled()
            await Task.yield()
        }
    }

    /// Whether all tables are empty.
    func isEmpty() async -> Bool {
        await now {
            $0.machine.isEmpty && $0.waiters.isEmpty && $0.contexts.isEmpty && $0.fetches.isEmpty && $0.spools.isEmpty
                && $0.prefixes.isEmpty && $0.nodeRequests.isEmpty
        }
    }

    /// Evaluates `body` between two events.
    private func now<Result: Sendable>(_ body: @escaping @Sendable (LoadCoordinator) -> Result) async -> Result {
        await withCheckedContinuation { continuation in on { continuation.resume(returning: body($0)) } }
    }
}

extension LoaderFixture {
    /// Waits until the loader's counts satisfy the condition.
    func reached(_ condition: @escaping @Sendable (LoadStatistics) -> Bool) async {
        await loader.coordinator.reached(condition)
    }
}

extension TokenRegistry {
    /// Live and remembered tokens.
    var tokenCount: Int { state.withLock { $0.table.recordCount } }

    /// Whether all tables are empty except for remembered ended tokens.
    var holdsNothing: Bool {
        state.withLock {
            $0.loads.isEmpty && $0.held.isEmpty && $0.answers.isEmpty && $0.heldBytes == 0 && $0.grants.isEmpty
                && $0.revocations.isEmpty
        }
    }
}

extension TokenTable {
    /// The sessions and tokens of a client.
    func held(by client: Client) -> (sessions: Int, tokens: Int) {
        (ranking.sessionCount(of: client), ranking.tokenCount(of: client))
    }
}

extension OriginalCache {
    /// How many uses are not yet written to the database.
    var unnoted: Int { used.withLock { $0.count } }

    /// Bytes of the cached files, according to their rows.
    func storedBytes() -> Int64 {
        database.read { try SieveTable(table: "original", size: "length", condition: "isKept").total($0) } ?? 0
    }
}

extension TileCache {
    /// Bytes on disk, as the cache counts them. Blocks.
    func storedBytes() -> Int64 {
        database.read { try SieveTable(table: "tile", size: "size").total($0) } ?? 0
    }
}
