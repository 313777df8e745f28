/// Whether a server is reachable.
public enum ConnectionStatus: Hashable, Sendable {
    case connected
    /// The reason, for the log.
    case disconnected(String)
}

/// Decides when to log that a connection has come or gone: at once when it is lost, and only after it has held for a
/// while when it is back. A connection that keeps coming and going is logged once. If the reason changes during an outage
/// and stays another for a while, it is logged again: what ends an outage may be nothing that began it.
///
/// On the loop only.
public final class ConnectionMonitor {
    private let loop: EventLoop
    private let steadyTime: Duration
    private let report: (Report) -> Void
    /// The last state logged; nil at first.
    private var reported: ConnectionStatus?
    private var current: ConnectionStatus?
    private var timer: LoopTimer?

    /// What to log.
    public enum Report: Hashable, Sendable {
        case connected
        case lost(reason: String)
        /// It was lost before, for another reason.
        case stillLost(reason: String)
    }

    /// - Parameter steadyTime: How long a connection must hold, or be lost for another reason, before `report` is called.
    public init(loop: EventLoop, steadyTime: Duration = .seconds(5), report: @escaping (Report) -> Void) {
        self.loop = loop
        self.steadyTime = steadyTime
        self.report = report
    }

    /// Reports a change of the connection.
    public func changed(_ state: ConnectionStatus) {
        current = state
        switch (reported, state) {
        case (nil, _), (.connected, .disconnected): announce()
        case (.connected, .connected): cancel()
        case (.disconnected, .connected): announceLater()
        case (.disconnected(let reason), .disconnected(let present)):
            if present == reason {
                cancel()
            } else if timer == nil {
                announceLater()
            }
        }
    }

    private func cancel() {
        timer?.cancel()
        timer = nil
    }

    private func announceLater() {
        cancel()
        timer = loop.schedule(after: steadyTime) { [weak self] in self?.announce() }
    }

    private func announce() {
        cancel()
        guard let current else { return }
        switch current {
        case .connected: report(.connected)
        case .disconnected(let reason):
            let wasLost = if case .disconnected = reported { true } else { false }
            report(wasLost ? .stillLost(reason: reason) : .lost(reason: reason))
        }
        reported = current
    }
}
