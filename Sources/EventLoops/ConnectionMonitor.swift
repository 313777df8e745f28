/// Whether a server is reachable.
public enum ConnectionStatus: Hashable, Sendable {
    case connected
    /// The reason, for the log.
    case disconnected(String)
}

/// Decides when to log that a connection has come or gone: at once when it is lost, and only after it has held for a
/// while when it is back. A connection that keeps coming and going is logged once. A new reason that persists during an
/// outage is logged, too: the reason an outage goes on need not be the reason it began.
///
/// On the loop only.
public final class ConnectionMonitor {
    private let loop: EventLoop
    private let steadyTime: Duration
    private let report: (Report) -> Void
    /// The last state logged; nil at first.
    private var reported: ConnectionStatus?
    private var current: ConnectionStatus?
    /// The reasons logged since the connection was lost: reasons that alternate are logged once each.
    private var reasons: Set<String> = []
    private var timer: LoopTimer?

    private static let maximumReasons = 100

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
        let former = current
        current = state
        switch (reported, state) {
        case (nil, _), (.connected, .disconnected): announce()
        case (.connected, .connected): cancel()
        case (.disconnected, .connected): announceLater()
        case (.disconnected, .disconnected(let reason)):
            if reasons.contains(reason) {
                cancel()
            } else if state != former {
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
        case .connected:
            reasons = []
            report(.connected)
        case .disconnected(let reason):
            if reasons.count < Self.maximumReasons { reasons.insert(reason) }
            let wasLost = if case .disconnected = reported { true } else { false }
            report(wasLost ? .stillLost(reason: reason) : .lost(reason: reason))
        }
        reported = current
    }
}
