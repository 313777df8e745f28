/// Whether a server is there.
public enum Presence: Hashable, Sendable {
    case connected
    /// Why, for the log.
    case away(String)
}

/// What the log is told of a connection that comes and goes: that it is away at once, and that it is there again when it has
/// held for a while. One that comes and goes all the time is told of once.
///
/// On the loop only.
public final class SteadyNews {
    private let loop: EventLoop
    private let steadyTime: Duration
    private let tell: (Presence) -> Void
    /// Of what was told last; nil in the beginning.
    private var toldConnected: Bool?
    private var timer: LoopTimer?

    public init(loop: EventLoop, steadyTime: Duration = .seconds(5), tell: @escaping (Presence) -> Void) {
        self.loop = loop
        self.steadyTime = steadyTime
        self.tell = tell
    }

    public func changed(_ state: Presence) {
        timer?.cancel()
        timer = nil
        let isConnected = state == .connected
        guard toldConnected != isConnected else { return }
        guard isConnected, toldConnected == false else { return say(state) }
        timer = loop.schedule(after: steadyTime) { [weak self] in self?.say(state) }
    }

    private func say(_ state: Presence) {
        toldConnected = state == .connected
        tell(state)
    }
}
