import EventLoops
import Logging

/// An HTTP/1.1 server (RFC 9110, 9112).
public final class HTTPServer: Sendable {
    private let configuration: Configuration

    public init(configuration: Configuration, responder: any Responder, logger: Logger) {
        self.configuration = configuration
    }

    public func start() async throws -> SocketAddress {
        SocketAddress(ip: .v4(0), port: 0)
    }

    public func stop(within limit: Duration) async {}
}
