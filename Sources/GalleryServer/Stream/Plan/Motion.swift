import Glibc

/// Where the viewport was, and from that where it will be.
struct Motion: Sendable {
    /// A page that scrolls reports many times a second; one that has been silent for so long has stopped, or sleeps. In
    /// seconds.
    static let patience = 1.0

    let viewport: Viewport
    /// When the viewport stood as reported, in seconds: half a round trip before the report came.
    let moment: Double

    /// Slots a second, with its sign.
    private var velocity: Double { Double(viewport.direction) * viewport.velocity }

    /// Slots between here and where the scrolling will end; nil when the client cannot tell.
    private var way: Double? {
        guard let landing = viewport.landing else { return nil }
        let way = Double(landing - viewport.first)
        return way * velocity > 0 ? way : nil
    }

    func isMoving(at moment: Double) -> Bool {
        velocity != 0 && moment - self.moment < Self.patience
    }

    /// The first slot on screen at a moment, with its fraction. Towards a landing the scrolling slows as friction has it,
    /// by the same share in the same time; otherwise it goes on as it is.
    func first(at moment: Double) -> Double {
        let elapsed = max(0, moment - self.moment)
        guard velocity != 0 else { return Double(viewport.first) }
        if let way { return Double(viewport.first) + way * (1 - exp(-elapsed * velocity / way)) }
        return Double(viewport.first) + velocity * elapsed
    }

    /// The slots on screen at a moment, those that are there in part among them, within the catalog.
    func slots(at moment: Double, total: Int) -> Range<Int> {
        let first = min(max(first(at: moment), 0), Double(total))
        let lower = Int(first.rounded(.down))
        return (lower..<lower + viewport.count + (first == first.rounded(.down) ? 0 : 1)).clamped(to: 0..<total)
    }

    /// The slots on screen when the scrolling will have ended.
    func landing(total: Int) -> Range<Int>? {
        guard way != nil, let landing = viewport.landing else { return nil }
        let first = min(landing, total)
        return (first..<first + viewport.count).clamped(to: 0..<total)
    }
}
