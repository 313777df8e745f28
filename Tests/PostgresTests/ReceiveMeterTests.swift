import Glibc
import Locking
import TestSupport
import Testing

@testable import Postgres

@Suite struct ReceiveMeterTests {
    @Test func `only what results do not account for counts`() {
        var meter = ReceiveMeter(limit: 100)
        var isSmall = true
        for _ in 0..<10 {
            isSmall = meter.received(90) && isSmall
            meter.explained(90)
        }
        // More than was received is no credit for later.
        meter.explained(1000)
        isSmall = meter.received(100) && isSmall
        #expect(isSmall)
        isSmall = meter.received(1)
        #expect(!isSmall && meter.unexplained == 101)
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled), .serialized, .timeLimit(.minutes(2)))
struct RelayedConnectionTests {
    @Test func `answers of a real server are accounted for to the byte`() async throws {
        let server = try #require(await PostgresServer())
        let speaker = try Speaker(server.url())
        try await speaker.connect()
        let before = try #require(await speaker.unexplained)
        for _ in 0..<20 {
            _ = try await speaker.ask("SELECT number, repeat('x', number) FROM generate_series(1, 500) AS number")
            _ = try await speaker.ask("SELECT $1::text, NULL, ''", ["a"])
            await #expect(throws: PostgresError.self) { try await speaker.ask("SELECT nothing FROM nowhere") }
            _ = try await speaker.ask("LISTEN news")
            _ = try await speaker.ask("NOTIFY news, 'payload'")
        }
        #expect(await eventually { speaker.heard.withLock { $0.count } == 20 })
        let after = try #require(await speaker.unexplained)
        #expect(after <= before)
        await speaker.stop()
    }

    /// The number of open descriptors of this process.
    private static var descriptors: Int { (0..<4096).count { fcntl($0, F_GETFD) >= 0 } }

    @Test func `one row may be large, but not larger than the limit`() async throws {
        let server = try #require(await PostgresServer())
        let speaker = try Speaker(server.url())
        try await speaker.connect()
        let rows = try await speaker.ask("SELECT repeat('x', 3000000) FROM generate_series(1, 3)")
        #expect(rows.compactMap { $0.text(0)?.utf8.count } == [3_000_000, 3_000_000, 3_000_000])
        await #expect(throws: PostgresError.disconnected("its response is too long")) {
            try await speaker.ask("SELECT repeat('x', 5000000)")
        }
        await speaker.stop()
    }

    @Test func `a connection uses two descriptors more, and returns all of them`() async throws {
        let server = try #require(await PostgresServer())
        let before = Self.descriptors
        for _ in 0..<5 {
            let speaker = try Speaker(server.url())
            try await speaker.connect()
            _ = try await speaker.ask("SELECT 1")
            await speaker.stop()
            // libpq tries once more without TLS if the server has none.
            let other = try Speaker(server.url(database: "nowhere") + "?sslmode=prefer")
            await #expect(throws: PostgresError.self) { try await other.connect() }
            await other.stop()
        }
        #expect(await eventually { Self.descriptors == before })
    }
}
