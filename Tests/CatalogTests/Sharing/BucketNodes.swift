import MetadataLog
import Images
import Logging
import Postgres
import TestSupport
import Testing

@testable import Catalog

/// Nodes of one gallery with one bucket, each with an index of its own.
final class BucketNodes {
    let store: FakeObjectStore
    private let kind: SharedIn
    private let scratch: Scratch
    let memory: MemoryListings
    private let server: PostgresServer?
    private var ends: [() async -> Void] = []

    private let turn: Duration

    init(_ kind: SharedIn, _ store: FakeObjectStore, turn: Duration = .seconds(10)) async throws {
        self.kind = kind
        self.turn = turn
        self.store = store
        scratch = try Scratch()
        memory = MemoryListings(turn: turn)
        server = kind == .postgres ? await PostgresServer() : nil
        try #require(kind == .memory || server != nil)
    }

    private func log() throws -> PostgresMetadataLog? {
        guard let server else { return nil }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var pace = PostgresMetadataLog.Pace()
        pace.leaseTime = turn
        return try PostgresMetadataLog(PostgresAddress(server.url()), gallery: "test", pace: pace, logger: logger)
    }

    /// A catalog that has begun to list the bucket.
    func node(
        _ name: String, _ change: (inout Catalog.Configuration) -> Void = { _ in }
    ) async throws -> Catalog {
        let log = try log()
        let address = try BucketAddress("s3://photos", in: .init(endpoint: "http://store.test"))
        var configuration = Catalog.Configuration(dataFolder: scratch.path(name))
        configuration.objectStore = store
        configuration.listings = log ?? memory
        configuration.pageRetries = 0
        configuration.retrying = RetryPace(first: .milliseconds(10), maximumDelay: .milliseconds(10))
        change(&configuration)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let catalog = try await Catalog.open(configuration, sources: [.bucket(address)], logger: logger)
        if let log {
            await log.start(catalog, listingReceiver: catalog)
            ends.append { await log.stop() }
        } else {
            await memory.tell(catalog)
        }
        ends.append { await catalog.close() }
        return catalog
    }

    /// A node played by the test, which shares listings with the others.
    func other() async throws -> any ListingSharing {
        guard let log = try log() else { return memory }
        await log.start(NoOutbox())
        ends.append { await log.stop() }
        return log
    }

    func setAway(_ isAway: Bool) async {
        guard let server else { return await memory.setAway(isAway) }
        if isAway { server.end() } else { _ = await server.start() }
    }

    func end() async { for end in ends { await end() } }

    private struct NoOutbox: MetadataOutbox {
        func position(in log: String, isAnew: Bool) -> Int64 { 0 }
        func unpublished(limit: Int) -> UnpublishedMetadata { UnpublishedMetadata() }
        func published(_ metadata: UnpublishedMetadata) {}
        func countUnpublished() -> Int { 0 }
        func received(_ metadata: [SharedMetadata], of log: String, after former: Int64, upTo position: Int64) {}
        func received(_ metadata: [SharedMetadata]) {}
    }
}
