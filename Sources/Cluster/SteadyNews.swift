import EventLoops
import Redis

/// What the log is told of a connection that comes and goes: that it is away at once, and that it is there again when it has
/// held for a while. One that comes and goes all the time is told of once.
///
/// On the loop only.
final class SteadyNews {
    private let loop: EventLoop
    private let steadyTime: Duration
    private let tell: (RedisClient.State) -> Void
    /// Of what was told last; nil in the beginning.
    private var toldConnected: Bool?
    private var timer: LoopTimer?

    init(loop: EventLoop, steadyTime: Duration = .seconds(5), tell: @escaping (RedisClient.State) -> Void) {
        self.loop = loop
        self.steadyTime = steadyTime
        self.tell = tell
    }

    func changed(_ state: RedisClient.State) {
        timer?.cancel()
        timer = nil
        let isConnected = state == .connected
        guard toldConnected != isConnected else { return }
        guard isConnected, toldConnected == false else { return say(state) }
        timer = loop.schedule(after: steadyTime) { [weak self] in self?.say(state) }
    }

    private func say(_ state: RedisClient.State) {
        toldConnected = state == .connected
        tell(state)
    }
}
