public import Accounts
import Dispatch
import EventLoops
import Locking
public import Logging
public import Postgres

/// Stores the library in PostgreSQL, where all nodes of a gallery share it.
///
/// A change locks the gallery's row, reads what other nodes have written before, and is computed from that. So nodes change
/// the library one after another. They hear of each other's changes by notifications, and also ask every second.
public final class PostgresLibrary: LibraryStore {
    public let place: String
    public let isShared = true
    private let connection: LibraryConnection

    /// Intervals, timeouts and limits.
    public struct Pace: Sendable {
        /// The interval for asking for news if no notification arrives.
        public var pollInterval: Duration = .seconds(1)
        /// The timeout of one statement.
        public var statementTimeout: Duration = .seconds(2)
        /// How long the library may be used after it was last read.
        public var validity: Duration = .seconds(10)
        /// How long to wait for the database at the start.
        public var openingTime: Duration = .seconds(15)
        /// The pause before the first reconnection attempt; doubles with each failure.
        public var firstPause: Duration = .milliseconds(100)
        /// The longest pause between attempts: a database that is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// The largest library that can be read, in bytes.
        public var maximumLibraryBytes = 256 << 20

        public init() {}
    }

    /// Connects, and creates the tables if there are none. Blocking.
    ///
    /// - Parameters:
    ///   - gallery: A name shared by all nodes of this gallery, and by no other gallery in the same database.
    /// - Throws: `AccountsError.library` if the database cannot be used within ``Pace/openingTime``.
    public init(
        _ address: PostgresAddress, gallery: String, pace: Pace = Pace(), logger: Logger
    ) throws(AccountsError) {
        place = "\(address)"
        do {
            connection = try LibraryConnection(address, gallery: gallery, pace: pace, logger: logger)
        } catch {
            throw .library(path: "\(address)", reason: "\(error)")
        }
        do {
            try wait { try await $0.start(within: pace.openingTime) }
        } catch {
            close()
            throw .library(path: place, reason: "\(error)")
        }
    }

    public func read(_ body: (LibraryNews) throws -> Void) throws {
        let read = try wait { try await $0.news() }
        try body(read.news)
        try wait { $0.accept(read) }
    }

    public func change(_ body: (LibraryNews) throws -> LibraryChange) throws {
        let news = try wait { try await $0.begin() }
        let change: LibraryChange
        do {
            change = try body(news)
        } catch {
            try wait { await $0.cancel() }
            throw error
        }
        try wait { try await $0.write(change) }
    }

    public func audit(before number: Int64?, limit: Int) throws -> [AuditEntry] {
        try wait { try await $0.audit(before: number, limit: limit) }
    }

    public func follow(_ body: @escaping @Sendable () -> Void) {
        // Cannot fail.
        try? wait { $0.observe(body) }
    }

    public func close() {
        try? wait { library in
            await library.stop()
            await library.loop.stop()
        }
    }

    /// Runs `body` on the connection's event loop. Blocks the calling thread, which must not be that of the loop.
    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable (isolated LibraryConnection) async throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Guarded<Result<Value, any Error>?>(nil)
        Task(executorPreference: connection.loop) { [connection] in
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        guard let result = result.withLock(\.self) else { throw LibraryUnavailable("it did not respond") }
        return try result.get()
    }
}
