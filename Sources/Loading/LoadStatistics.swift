/// What the loader has done and has under way.
public struct LoadStatistics: Hashable, Sendable {
    /// Waiters that were neither answered nor cancelled.
    public internal(set) var waiting = 0
    /// Renditions in the making.
    public internal(set) var jobs = 0
    /// Origin fetches under way or in line.
    public internal(set) var fetches = 0
    /// Origin fetches begun so far.
    public internal(set) var fetchesBegun = 0
    /// Renders begun so far.
    public internal(set) var rendersBegun = 0
    /// Of these, from a larger rendition that was kept.
    public internal(set) var rendersOfRenditions = 0
    /// Tries so far to show something of an original of which only the beginning is there.
    public internal(set) var glimpsesBegun = 0
    /// Pyramids that were made and kept.
    public internal(set) var pyramidsKept = 0
    /// Loads that ended with a failure so far, each counted once however many waited.
    public internal(set) var failures = 0
    /// Loads that were not begun because too many waited so far.
    public internal(set) var refused = 0
    public internal(set) var memoryHits = 0
    public internal(set) var memoryMisses = 0
    /// Bytes of renditions in memory.
    public internal(set) var memoryBytes = 0
    /// Renditions found on disk so far.
    public internal(set) var diskHits = 0
    /// Renditions that other machines had made so far.
    public internal(set) var sharedHits = 0
    /// Renditions that other machines waited for while this one had the turn so far.
    public internal(set) var wishes = 0
    /// Failures remembered, so as not to be repeated.
    public internal(set) var rememberedFailures = 0
    /// Pictures remembered because they harmed their decoder.
    public internal(set) var rememberedHarmful = 0
    /// What keeps the disk cache from being used now, if anything does. For the log and the owner.
    public internal(set) var cacheProblem: String?
}
