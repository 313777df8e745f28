import EventLoops
import Locking
import TestSupport
import Testing

@testable import Postgres

/// A connection to a server, confined to its event loop.
actor Speaker {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let connector: PostgresConnector
    private var connection: PostgresConnection?
    let heard = Guarded<[String]>([])

    init(_ url: String, _ configuration: PostgresConnection.Configuration = .init()) throws {
        loop = try EventLoop(label: "test.postgres")
        connector = try PostgresConnector(PostgresAddress(url), configuration: configuration, loop: loop)
    }

    func connect() async throws {
        let connection = try await connector.connect()
        connection.follow(
            onEnd: { [heard] error in heard.withLock { $0.append("ended: \(error)") } },
            onNotice: { [heard] channel in heard.withLock { $0.append(channel) } })
        self.connection = connection
    }

    func ask(
        _ text: String, _ parameters: [String?] = [], within time: Duration = .seconds(20)
    ) async throws -> [PostgresRow] {
        guard let connection else { throw PostgresError.disconnected("not connected") }
        return try await connection.query(text, parameters, within: time)
    }

    /// The bytes that no result accounts for; nil without a connection.
    var unexplained: Int? { connection?.meter.unexplained }

    func stop() async {
        connection?.close()
        connection = nil
        await loop.stop()
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled), .serialized, .timeLimit(.minutes(2)))
struct PostgresConnectionTests {
    @Test func `values arrive unchanged, and reading one as another type yields nil`() async throws {
        let server = try #require(await PostgresServer())
        let speaker = try Speaker(server.url())
        try await speaker.connect()
        let rows = try await speaker.ask(
            """
            SELECT $1::bigint, -2::smallint, 3::integer, 0.25::double precision, $2::text, '\\x00ff'::bytea, true,
            NULL::text, ''
            """, ["-9223372036854775808", "Ærø\u{1F426}"])
        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row.integer(0) == .min && row.integer(1) == -2 && row.integer(2) == 3)
        #expect(row.number(3) == 0.25 && row.text(4) == "Ærø\u{1F426}" && row.bytes(5) == [0, 255])
        #expect(row.flag(6) == true && row.text(7) == nil && row.text(8)?.isEmpty == true)
        #expect(row.integer(4) == nil && row.number(0) != nil && row.flag(0) == nil && row.integer(9) == nil)
        #expect(try await speaker.ask("SELECT number FROM generate_series(1, 1000) AS number").count == 1_000)

        // A rejected statement does not affect others, and its error contains no values.
        let refusal = await #expect(throws: PostgresError.self) {
            try await speaker.ask("SELECT $1::integer", ["hunter2"])
        }
        guard case .refused("22P02", _)? = refusal else {
            return #expect(Bool(false), "\(String(describing: refusal))")
        }
        let asked = (1...9).map { number in Task { try await speaker.ask("SELECT \(number)").first?.integer(0) } }
        for (number, task) in asked.enumerated() { #expect(try await task.value == Int64(number + 1)) }
        await speaker.stop()
    }

    @Test func `a listener receives notifications from other connections`() async throws {
        let server = try #require(await PostgresServer())
        let (one, other) = (try Speaker(server.url()), try Speaker(server.url()))
        try await one.connect()
        try await other.connect()
        _ = try await one.ask("LISTEN news")
        _ = try await other.ask("NOTIFY news")
        #expect(await eventually { one.heard.withLock { $0 == ["news"] } })
        await one.stop()
        await other.stop()
    }

    @Test func `a failed connection reports the reason without the password`() async throws {
        let server = try #require(await PostgresServer())
        for (url, words) in [
            (server.url(password: "hunter3"), "password authentication failed"),
            (server.url(database: "nowhere"), "does not exist"), ("postgres://a:hunter2@127.0.0.1:1/x", "refused"),
            ("postgres://a:hunter2@nowhere.invalid/x", "its name "),
            ("postgres://a:hunter2@127.0.0.1:\(server.port)/x?sslmode=require", "SSL"),
            ("postgres:///x?host=/nowhere", "No such file"),
        ] {
            let speaker = try Speaker(url)
            let error = await #expect(throws: PostgresError.self) { try await speaker.connect() }
            #expect("\(error.map { "\($0)" } ?? "")".contains(words))
            #expect("\(error.map { "\($0)" } ?? "")".contains("hunter") == false)
            await speaker.stop()
        }
    }

    @Test func `a hung server fails all pending queries, and a dead one ends an idle connection`() async throws {
        let server = try #require(await PostgresServer())
        let speaker = try Speaker(server.url())
        try await speaker.connect()
        server.freeze()
        let hasty = Task { try await speaker.ask("SELECT 1", within: .milliseconds(300)) }
        let patient = Task { try await speaker.ask("SELECT 2", within: .seconds(60)) }
        await #expect(throws: PostgresError.timedOut) { try await hasty.value }
        await #expect(throws: PostgresError.timedOut) { try await patient.value }
        server.wake()
        await #expect(throws: PostgresError.timedOut) { try await speaker.ask("SELECT 3") }
        await speaker.stop()

        let idle = try Speaker(server.url())
        try await idle.connect()
        server.end()
        #expect(await eventually { idle.heard.withLock { $0.count } == 1 })
        await #expect(throws: PostgresError.self) { try await idle.ask("SELECT 1") }
        await idle.stop()
    }

    @Test func `an oversized response ends the connection`() async throws {
        let server = try #require(await PostgresServer())
        var configuration = PostgresConnection.Configuration()
        configuration.maximumAnswerBytes = 1 << 20
        let speaker = try Speaker(server.url(), configuration)
        try await speaker.connect()
        await #expect(throws: PostgresError.disconnected("its response is too long")) {
            try await speaker.ask("SELECT repeat('x', 1000) FROM generate_series(1, 1000000)")
        }
        await speaker.stop()
    }
}
