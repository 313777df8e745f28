public import EventLoops

/// Makes connections to one PostgreSQL, whichever of its addresses is there.
public final class PostgresConnector: @unchecked Sendable {
    // Sendable because everything mutable is touched on `loop` alone.
    public let loop: EventLoop
    public let address: PostgresAddress
    private let configuration: PostgresConnection.Configuration
    private let lookup: HostLookup
    /// The last that was made.
    private weak var connection: PostgresConnection?
    private var isClosed = false

    /// Of one name; who has more of them has them for other reasons than that one may be away.
    private static let mostAddresses = 4

    /// - Throws: ``PostgresConnection/Configuration/Invalid``.
    public init(
        _ address: PostgresAddress,
        configuration: PostgresConnection.Configuration = PostgresConnection.Configuration(), loop: EventLoop
    ) throws(PostgresConnection.Configuration.Invalid) {
        try configuration.validate()
        self.address = address
        self.configuration = configuration
        self.loop = loop
        lookup = HostLookup(address.host, address.port, loop: loop)
    }

    /// Connects. On the loop only.
    ///
    /// - Throws: Why none of its addresses lets one in, to write; of the last that was tried.
    public func connect(
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PostgresConnection {
        var failure = PostgresError.away("it has no address")
        for digits in try await addresses() {
            guard !isClosed else { break }
            let connection = PostgresConnection(address, digits: digits, configuration, loop: loop)
            self.connection = connection
            do {
                try await connection.opened()
                return connection
            } catch let error as PostgresError {
                failure = error
            }
        }
        throw failure
    }

    /// Ends what is under way and the last connection that was made, and makes no more. On the loop only.
    public func close() {
        isClosed = true
        connection?.close()
    }

    /// Nil for a socket in a folder.
    private func addresses(isolation: isolated (any Actor)? = #isolation) async throws -> [String?] {
        guard !address.host.hasPrefix("/") else { return [nil] }
        let answer = await withCheckedContinuation { continuation in
            lookup.find(within: configuration.lookupTime) { continuation.resume(returning: $0) }
        }
        switch answer {
        case .found(let found): return found.compactMap(\.digits).prefix(Self.mostAddresses).map(\.self)
        case .unknown: throw PostgresError.away("its name is not known")
        case .late: throw PostgresError.away("its name was not found in time")
        }
    }
}
