/// How long previews take to load, and how many may be under way for whoever flies past: more while they come as soon as
/// they do when few are asked for, fewer when they wait for each other, at an origin or for a processor. Delay-based, as
/// TCP Vegas is (Brakmo and Peterson 1995). A pure value; moments are seconds of one monotonic clock.
struct LoadPace: Sendable {
    /// Loads at a time, as a multiple of those for what is at rest on screen.
    static let widest = 4.0
    /// A load that takes so much longer than the shortest lately waits for others.
    private static let prompt = 1.5
    private static let late = 2.0
    /// Seconds that mean nothing.
    private static let slack = 0.02
    /// A load that took longer is of no use to somebody who flies past.
    private static let longest = 1.0
    /// By how much the shortest is thought to be longer with each load, so that what was once is forgotten.
    private static let forgetting = 1.0002

    /// Seconds that a preview took lately, on average.
    private(set) var duration = 0.0
    /// From 1 to ``widest``.
    private(set) var width = 1.0
    private var shortest = Double.infinity
    private var narrowedAt = -Double.infinity

    /// A preview was loaded, and it took so many seconds.
    mutating func took(_ seconds: Double, at now: Double) {
        let seconds = min(max(0, seconds), Self.longest)
        duration += (seconds - duration) / 8
        shortest = min(seconds, shortest * Self.forgetting)
        if seconds <= Self.prompt * shortest + Self.slack {
            // With sixteen at a time a round of answers adds four.
            width = min(Self.widest, width + 1 / 64)
        } else if seconds > Self.late * shortest + Self.slack, now - seconds > narrowedAt {
            // Once for all that were under way together.
            width = max(1, width * 0.85)
            narrowedAt = now
        }
    }

    /// A preview was given up after so many seconds. If that is longer than they take, it would have taken longer still:
    /// of those alone that came in time, all would seem quicker than they are.
    mutating func wasLeft(after seconds: Double, at now: Double) {
        if seconds > duration { took(seconds, at: now) }
    }
}
