public import EventLoops

/// Connects to one PostgreSQL server, at whichever of its addresses is reachable.
public final class PostgresConnector: @unchecked Sendable {
    // Sendable because all mutable state is confined to `loop`.
    public let loop: EventLoop
    public let address: PostgresAddress
    private let configuration: PostgresConnection.Configuration
    private let lookup: HostLookup
    /// The connection made last.
    private weak var connection: PostgresConnection?
    /// The second connection, and what its notification signals, while a pooler is checked.
    private weak var prober: PostgresConnection?
    private weak var hasHeard: WakeSignal?
    /// The channel of that notification. Always the same, because a pooler's server connections go on listening.
    private let channel = "tessera_\(UInt64.random(in: 0 ... .max))"
    private var isClosed = false

    /// The maximum number of addresses to try for one name. A name with more of them does not have them for
    /// availability.
    private static let maximumAddresses = 4

    /// - Throws: ``PostgresConnection/Configuration/Invalid``.
    public init(
        _ address: PostgresAddress,
        configuration: PostgresConnection.Configuration = PostgresConnection.Configuration(), loop: EventLoop
    ) throws(PostgresConnection.Configuration.Invalid) {
        try configuration.validate()
        self.address = address
        self.configuration = configuration
        self.loop = loop
        lookup = HostLookup(loop: loop)
    }

    /// Connects. On the event loop only.
    ///
    /// - Throws: ``PostgresError``: why the address tried last did not accept a connection with write access and a session
    ///   of its own.
    public func connect(
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PostgresConnection {
        var failure = PostgresError.disconnected("it has no address")
        for digits in try await addresses() {
            guard !isClosed else { break }
            let connection = PostgresConnection(address, digits: digits, configuration, loop: loop)
            self.connection = connection
            do {
                try await connection.opened()
                try await checkSession(connection, digits: digits)
                return connection
            } catch let error as PostgresError {
                connection.close()
                failure = error
            }
        }
        throw failure
    }

    /// Cancels a running attempt, closes the connection made last, and makes no more. On the event loop only.
    public func close() {
        isClosed = true
        connection?.close()
        prober?.close()
        hasHeard?.signal()
    }

    /// Verifies that a connection through a pooler has a dedicated session: a notification that a second connection sends
    /// must reach it.
    ///
    /// - Throws: ``PostgresError/pooled`` if it has none.
    private func checkSession(
        _ connection: PostgresConnection, digits: String?, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let time = configuration.greetingTime
        guard try await connection.isPooled(within: time) else { return }
        let hasHeard = WakeSignal(loop: loop)
        let prober = PostgresConnection(address, digits: digits, configuration, loop: loop)
        defer { prober.close() }
        (self.prober, self.hasHeard) = (prober, hasHeard)
        connection.follow(
            onEnd: { _ in hasHeard.signal() }, onNotice: { [channel] in if $0 == channel { hasHeard.signal() } })
        _ = try await connection.query("LISTEN \(channel)", within: time)
        do {
            try await prober.opened()
            _ = try await prober.query("SELECT pg_notify($1, '')", [channel], within: time)
        } catch let error as PostgresError {
            throw PostgresError.disconnected("the pooler in front of it has no second connection for a check: \(error)")
        }
        guard await hasHeard.wait(upTo: time) else { throw PostgresError.pooled }
        _ = try await connection.query("UNLISTEN \(channel)", within: time)
    }

    /// The numeric addresses; nil for a Unix socket.
    private func addresses(isolation: isolated (any Actor)? = #isolation) async throws -> [String?] {
        guard !address.host.hasPrefix("/") else { return [nil] }
        let answer = await withCheckedContinuation { continuation in
            lookup.find(address.host, address.port, within: configuration.lookupTime) {
                continuation.resume(returning: $0)
            }
        }
        switch answer {
        case .found(let found): return found.compactMap(\.digits).prefix(Self.maximumAddresses).map(\.self)
        case .unknown: throw PostgresError.disconnected("its name does not resolve")
        case .late: throw PostgresError.disconnected("resolving its name timed out")
        }
    }
}
