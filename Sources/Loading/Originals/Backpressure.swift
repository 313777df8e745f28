/// Decides when an origin must pause: from when too many bytes wait to be written until only a few do. A pure value.
///
/// The desired state and the last command are separate, and only one thread at a time gives commands. Otherwise an
/// earlier pause could reach the fetch after the resume that followed it, and the fetch would stay paused for ever.
struct Backpressure: Sendable {
    enum Command: Hashable, Sendable {
        case pause
        case resume
    }

    /// Bytes received but not yet written.
    private(set) var unwritten = 0
    /// Whether the origin should be paused.
    private(set) var isPaused = false
    private var hasCommandedPause = false
    private var isDelivering = false
    private let limit: Int

    /// - Parameter limit: The number of bytes that may wait to be written.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func received(_ count: Int) {
        unwritten += count
        if unwritten > limit { isPaused = true }
    }

    mutating func wrote(_ count: Int) {
        unwritten -= count
        if unwritten <= limit / 4 { isPaused = false }
    }

    /// The next command for the fetch; call ``commandDelivered()`` after giving it. Nil if there is none, and while
    /// another thread is giving one, because that thread asks again afterwards.
    mutating func nextCommand() -> Command? {
        guard !isDelivering, hasCommandedPause != isPaused else { return nil }
        isDelivering = true
        hasCommandedPause = isPaused
        return isPaused ? .pause : .resume
    }

    mutating func commandDelivered() { isDelivering = false }
}
