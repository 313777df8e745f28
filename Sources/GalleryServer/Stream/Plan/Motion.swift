import Glibc

/// Predicts where the viewport will be from where it was reported.
struct Motion: Sendable {
    /// A scrolling page reports many times a second. One that has been silent for this long, in seconds, has stopped or
    /// sleeps.
    static let silenceLimit = 1.0

    let viewport: Viewport
    /// When the viewport was as reported, in seconds: half a round trip before the report arrived.
    let moment: Double

    /// Slots a second; negative towards the beginning.
    private var velocity: Double { Double(viewport.direction) * viewport.velocity }

    /// Slots from the reported position to where the scroll will stop; nil if the client cannot tell.
    private var way: Double? {
        guard let landing = viewport.landing else { return nil }
        let way = Double(landing - viewport.first)
        return way * velocity > 0 ? way : nil
    }

    func isMoving(at moment: Double) -> Bool {
        velocity != 0 && moment - self.moment < Self.silenceLimit
    }

    /// The first slot on screen at a moment, with a fraction. Towards a landing slot the scroll decelerates
    /// exponentially, as under friction; otherwise it keeps its velocity.
    func first(at moment: Double) -> Double {
        let elapsed = max(0, moment - self.moment)
        guard velocity != 0 else { return Double(viewport.first) }
        if let way { return Double(viewport.first) + way * (1 - exp(-elapsed * velocity / way)) }
        return Double(viewport.first) + velocity * elapsed
    }

    /// The slots on screen at a moment, including partly visible ones, within the catalog.
    func slots(at moment: Double, total: Int) -> Range<Int> {
        let first = min(max(first(at: moment), 0), Double(total))
        let lower = Int(first.rounded(.down))
        return (lower..<lower + viewport.count + (first == first.rounded(.down) ? 0 : 1)).clamped(to: 0..<total)
    }

    /// The slots that will be on screen when the scroll stops.
    func landing(total: Int) -> Range<Int>? {
        guard way != nil, let landing = viewport.landing else { return nil }
        let first = min(landing, total)
        return (first..<first + viewport.count).clamped(to: 0..<total)
    }
}
