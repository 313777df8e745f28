import EventLoops
import Logging

/// How several nodes respect the limits of the same origins. On the event loop only.
extension FetchEngine {
    func share(among nodes: Int) {
        let share = OriginShare(of: configuration.permitsPerOrigin, among: nodes)
        guard share != self.share else { return }
        self.share = share
        for origin in Array(records.keys) where !isStore(origin) { resize(origin) { window, _ in window.take(share) } }
    }

    /// An origin has refused a request sent at `begun` because of too many requests. May be called from within curl.
    func refused(_ origin: Origin, begun: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        var hasShrunk = false
        resize(origin) { window, _ in hasShrunk = window.pushedBack(begun: begun, now: now) }
        guard hasShrunk else { return }
        reportRefusal(OriginRefusal(origin: origin.description, age: begun.duration(to: now)))
    }

    /// The same, for a refusal that another node got.
    func received(_ refusal: OriginRefusal) {
        guard let origin = (try? OriginURL(refusal.origin))?.origin else { return }
        let now = ContinuousClock.now
        resize(origin) { window, _ in window.pushedBack(begun: now - max(.zero, refusal.age), now: now) }
    }
}
