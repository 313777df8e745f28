import EventLoops

/// The time limits of a fetch: until the head, of a body that crawls, and of everything together. The first two are for
/// each attempt, and whichever runs out ends the fetch: a second attempt would make somebody wait for a second hang. The
/// last is for all attempts with the waits between them. On the loop only.
struct FetchClocks {
    private let loop: EventLoop
    private let window: Duration
    private let windowBytes: Int
    /// What is left of the total; it shrinks while a transfer is under way and not paused, and by what is spent.
    private var left: Duration
    private var runningSince: ContinuousClock.Instant?
    private let state = State()

    /// What its timers share.
    private final class State {
        var head: LoopTimer?
        var body: LoopTimer?
        var total: LoopTimer?
        var bytes = 0
        var isInBody = false
        var late: ((String) -> Void)?
        var over: (() -> Void)?
    }

    /// A body that nobody wants is read for so long at most.
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
        state.body = loop.schedule(after: FetchClocks.discardTimeout) { late?("the rest was not worth the wait") }
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

    /// Takes a wait between two attempts out of the total. False if nothing would be left: there is no next attempt.
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
        FetchClocks.watchSpeed(state, loop, window, windowBytes)
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
