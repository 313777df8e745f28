/// Whether a server is reachable.
public enum ConnectionStatus: Hashable, Sendable {
    case connected
    /// The reason, for the log.
    case disconnected(String)
}

/// Decides when to log that a connection has come or gone: at once when it is lost, and only after it has held for a
/// while when it is back. A connection that keeps coming and going is logged once.
///
/// On the loop only.
public final class ConnectionMonitor {
    private let loop: EventLoop
    private let steadyTime: Duration
    private let report: (ConnectionStatus) -> Void
    /// The last state logged; nil at first.
    private var reportedConnected: Bool?
    private var timer: LoopTimer?

    /// - Parameter steadyTime: How long a connection must hold before `report` is called.
    public init(loop: EventLoop, steadyTime: Duration = .seconds(5), report: @escaping (ConnectionStatus) -> Void) {
        self.loop = loop
        self.steadyTime = steadyTime
        self.report = report
    }

    /// Reports a change of the connection.
    public func changed(_ state: ConnectionStatus) {
        timer?.cancel()
        timer = nil
        let isConnected = state == .connected
        guard reportedConnected != isConnected else { return }
        guard isConnected, reportedConnected == false else { return announce(state) }
        timer = loop.schedule(after: steadyTime) { [weak self] in self?.announce(state) }
    }

    private func announce(_ state: ConnectionStatus) {
        reportedConnected = state == .connected
        report(state)
    }
}
