import EventLoops

/// The timeouts of a fetch: until the head, for a slow body, and for everything together. The first two apply to each
/// attempt, and end the whole fetch: another attempt could hang, too, and make the client wait twice. The last covers
/// all attempts and the delays between them. On the event loop only.
struct FetchTimeouts {
    private let loop: EventLoop
    private let window: Duration
    private let windowBytes: Int
    /// The rest of the total time; decreases while a transfer is running and not paused, and by delays between
    /// attempts.
    private var left: Duration
    private var runningSince: ContinuousClock.Instant?
    private let state = State()

    /// State shared by the timers.
    private final class State {
        var head: LoopTimer?
        var body: LoopTimer?
        var total: LoopTimer?
        var bytes = 0
        var isInBody = false
        var late: ((String) -> Void)?
        var over: (() -> Void)?
    }

    /// The maximum time to drain an unwanted body.
    private static let discardTimeout: Duration = .milliseconds(500)

    init(_ loop: EventLoop, _ configuration: Configuration) {
        self.loop = loop
        window = configuration.lowSpeedWindow
        windowBytes = configuration.lowSpeedBytes
        left = configuration.totalTimeout
    }

    mutating func start(headIn limit: Duration, late: @escaping (String) -> Void, over: @escaping () -> Void) {
        stop()
        state.late = late
        state.over = over
        state.isInBody = false
        state.head = loop.schedule(after: limit) { late("no answer in time") }
        run()
    }

    mutating func bodyBegins(isPaused: Bool) {
        state.head?.cancel()
        state.isInBody = true
        if isPaused { pause() } else { watchSpeed() }
    }

    func bodyIsDiscarded() {
        state.head?.cancel()
        let late = state.late
        state.body = loop.schedule(after: FetchTimeouts.discardTimeout) {
            late?("discarding the rest of the body took too long")
        }
    }

    func tick(_ count: Int) {
        state.bytes += count
    }

    mutating func pause() {
        guard runningSince != nil else { return }
        rest()
        if state.isInBody { state.body?.cancel() }
    }

    mutating func resume() {
        guard runningSince == nil else { return }
        run()
        if state.isInBody { watchSpeed() }
    }

    /// Takes a delay between two attempts out of the total time. Returns false if no time would be left for another
    /// attempt.
    mutating func spend(_ wait: Duration) -> Bool {
        guard wait < left else { return false }
        left -= wait
        return true
    }

    mutating func stop() {
        rest()
        state.head?.cancel()
        state.body?.cancel()
        state.late = nil
        state.over = nil
    }

    private mutating func run() {
        runningSince = .now
        let over = state.over
        state.total = loop.schedule(after: left) { over?() }
    }

    private mutating func rest() {
        state.total?.cancel()
        if let since = runningSince { left = max(.zero, left - since.duration(to: .now)) }
        runningSince = nil
    }

    private func watchSpeed() {
        FetchTimeouts.watchSpeed(state, loop, window, windowBytes)
    }

    private static func watchSpeed(_ state: State, _ loop: EventLoop, _ window: Duration, _ least: Int) {
        state.bytes = 0
        state.body?.cancel()
        state.body = loop.schedule(after: window) { [weak state] in
            guard let state else { return }
            if state.bytes < least {
                state.late?("fewer than \(least) bytes in \(window)")
            } else {
                watchSpeed(state, loop, window, least)
            }
        }
    }
}
