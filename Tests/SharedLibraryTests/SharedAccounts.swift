import EventLoops
import Glibc
import Locking
import Logging
import Postgres
import SharedLibrary
import TestSupport

@testable import Accounts

/// A gallery whose nodes share a library in a PostgreSQL server of their own.
struct SharedAccounts {
    let server: PostgresServer
    let log = LogRecorder(from: .notice)
    /// How many seconds the nodes' clocks are ahead.
    let ahead = Guarded<Int64>(0)
    let password = "correct horse"

    init?() async {
        guard let server = await PostgresServer() else { return nil }
        self.server = server
    }

    func node(
        gallery: String = "test", validity: Duration = .seconds(10), openingTime: Duration = .seconds(15)
    ) async throws -> Accounts {
        var pace = PostgresLibrary.Pace()
        pace.validity = validity
        pace.openingTime = openingTime
        let address = try PostgresAddress(server.url())
        return try await Accounts.open(
            logger: log.logger,
            time: { [ahead] in
                var uptime = timespec()
                clock_gettime(CLOCK_BOOTTIME, &uptime)
                return (
                    Int64(Glibc.time(nil)) + ahead.withLock(\.self),
                    Double(uptime.tv_sec) + Double(uptime.tv_nsec) / 1e9
                )
            }
        ) { [pace, log] () throws(AccountsError) in
            try PostgresLibrary(address, gallery: gallery, pace: pace, logger: log.logger)
        }
    }

    /// A sender whom no attempt of another one delays.
    func sender() -> Sender { Sender(address: "192.0.2.\(UInt32.random(in: 0 ... .max))", agent: "test") }

    func owner(on node: Accounts) async throws -> SignedIn {
        try await node.accept(try await node.inviteOwner().text, name: "olga", password: password, from: sender())
    }

    /// Somebody whom the owner has invited.
    func person(_ name: String, _ role: Role, on node: Accounts, by owner: SignedIn) async throws -> SignedIn {
        let code = try await node.invite(role, by: owner.principal, from: sender()).text
        return try await node.accept(code, name: name, password: password, from: sender())
    }

    func share(on node: Accounts, by maker: SignedIn) async throws -> Share {
        try await node.share(
            .init(name: "s", view: "", lifetime: nil, password: nil, contents: []), by: maker.principal, from: sender())
    }

    /// Runs statements on a connection of its own.
    func ask(_ statements: String...) async throws {
        let speaker = try Speaker(server.url())
        for statement in statements { try await speaker.ask(statement) }
        await speaker.stop()
    }
}

/// A connection beside those of the nodes.
private actor Speaker {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let connector: PostgresConnector
    private var connection: PostgresConnection?

    init(_ url: String) throws {
        loop = try EventLoop(label: "test.postgres")
        connector = try PostgresConnector(PostgresAddress(url), loop: loop)
    }

    func ask(_ text: String) async throws {
        let connection: PostgresConnection
        if let known = self.connection { connection = known } else { connection = try await connector.connect() }
        self.connection = connection
        _ = try await connection.query(text, within: .seconds(20))
    }

    func stop() async {
        connection?.close()
        await loop.stop()
    }
}
