/// Whether an origin is to pause: from when too many bytes wait to be written until few do. A pure value.
///
/// What is wanted and what the fetch was told are kept apart, and one thread at a time tells it: a pause that was decided
/// first cannot be told after the resume that followed it, which would leave the fetch paused for ever.
struct Backpressure: Sendable {
    enum Order: Hashable, Sendable {
        case pause
        case resume
    }

    /// Bytes that came and are not written yet.
    private(set) var unwritten = 0
    /// Whether the origin is to pause.
    private(set) var isPaused = false
    private var isToldToPause = false
    private var isBeingTold = false
    private let limit: Int

    /// - Parameter limit: Bytes that may wait.
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

    /// What the fetch is to be told now, to be followed by ``told()``; nil if there is nothing, and while another thread
    /// tells it something: that thread asks again.
    mutating func nextOrder() -> Order? {
        guard !isBeingTold, isToldToPause != isPaused else { return nil }
        isBeingTold = true
        isToldToPause = isPaused
        return isPaused ? .pause : .resume
    }

    mutating func told() { isBeingTold = false }
}
