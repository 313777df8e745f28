public import Images

/// Kept renditions that several machines share. It is asked after the caches of this one, before anything is made.
///
/// All calls return at once, from any thread, and none keeps a load waiting for more than some tens of milliseconds (some
/// hundreds where it is far away), whatever has become of the machine that keeps them.
public protocol RenditionTier: Sendable {
    /// Whether it is of use to one machine by itself, which has nobody to agree with.
    var servesAlone: Bool { get }

    /// - Parameters:
    ///   - listed: The content of a remote image as its bucket's listing has it; nil where only its origin knows.
    ///   - occasion: Why it is looked for.
    ///   - found: Called once, on any thread, with what is there of this name and may be used without asking its origin;
    ///     nil otherwise.
    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void)

    /// Keeps a rendition, under the content that it is of. One that is too large is not kept, nor one for which there is no
    /// room.
    ///
    /// - Parameters:
    ///   - listed: As for a look.
    ///   - fence: The number of the turn that it was made in: what a later turn said of the original stands.
    ///   - done: Called once, on any thread, when others find it, or when it is clear that they may not: whether it is kept.
    func keep(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void)
}

/// Why a rendition is looked for in a tier.
public enum LookOccasion: Hashable, Sendable {
    /// The caches of this machine do not have it.
    case first
    /// It was looked for a moment ago, and another machine may have made it since.
    case again
    /// It was made while the load waited for it: however soon its origin wants to be asked again, whoever has waited may
    /// have it (RFC 9111 §4).
    case made
}
