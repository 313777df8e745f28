import Locking
import Logging

@testable import Accounts

/// A library in memory, which can be made to fail; and the time.
final class MemoryLibrary: LibraryStore, Sendable {
    struct Full: Error {}

    struct State {
        var records: [String: LibraryRecord] = [:]
        var entries: [AuditEntry] = []
        var isFull = false
        var now: Int64 = 1_000_000
    }

    let state = Guarded(State())
    let place = "memory"
    let isShared = false

    func read(_ body: (LibraryNews) throws -> Void) throws {
        try body(LibraryNews(records: state.withLock { Array($0.records.values) }, isWhole: true))
    }

    func change(_ body: (LibraryNews) throws -> LibraryChange) throws {
        var change = LibraryChange()
        try read { change = try body($0) }
        if !change.isEmpty { try write(change.records, change.entries) }
    }

    func follow(_ body: @escaping @Sendable () -> Void) {}

    private func write(_ changes: [LibraryRecord], _ entries: [AuditEntry]) throws {
        try state.withLock { state in
            guard !state.isFull else { throw Full() }
            for change in changes {
                state.records["\(change.kind) \(change.id)"] = change.body == nil ? nil : change
            }
            state.entries += entries.enumerated().map { place, entry in
                AuditEntry(
                    number: Int64(state.entries.count + place + 1), time: entry.time, actor: entry.actor,
                    address: entry.address, action: entry.action, subject: entry.subject)
            }
        }
    }

    func audit(before number: Int64?, limit: Int) throws -> [AuditEntry] {
        Array(state.withLock(\.entries).reversed().lazy.filter { $0.number < number ?? .max }.prefix(limit))
    }

    func close() {}

    func open() throws -> Accounts {
        try Accounts(store: self, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            let now = self.state.withLock(\.now)
            return (now, Double(now))
        }
    }

    var now: Int64 { state.withLock(\.now) }

    func wait(_ seconds: Int64) { state.withLock { $0.now += seconds } }
}
