import EventLoops
import Logging

/// What several nodes that ask the same origins heed together. On the loop only.
extension FetchEngine {
    func share(among nodes: Int) {
        let share = OriginShare(of: configuration.placesPerOrigin, among: nodes)
        guard share != self.share else { return }
        self.share = share
        for origin in Array(records.keys) where !isStore(origin) { resize(origin) { window, _ in window.take(share) } }
    }

    /// An origin said that it is asked too much, to a request sent at `begun`. May be called from within curl.
    func refused(_ origin: Origin, begun: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        var isNews = false
        resize(origin) { window, _ in isNews = window.pushedBack(begun: begun, now: now) }
        guard isNews else { return }
        tellRefusal(OriginRefusal(origin: origin.description, age: begun.duration(to: now)))
    }

    /// The same, said to another node.
    func heard(_ refusal: OriginRefusal) {
        guard let origin = (try? OriginURL(refusal.origin))?.origin else { return }
        let now = ContinuousClock.now
        resize(origin) { window, _ in window.pushedBack(begun: now - max(.zero, refusal.age), now: now) }
    }
}
