/// Kept renditions that several machines share. It is asked after the caches of this one, before anything is made.
///
/// Both calls return at once, from any thread, and neither keeps a load waiting for more than some tens of milliseconds,
/// whatever has become of the machine that keeps them.
public protocol RenditionTier: Sendable {
    /// - Parameters:
    ///   - isJustMade: It was made while the load waited for it: however soon its origin wants to be asked again, whoever
    ///     has waited may have it (RFC 9111 §4).
    ///   - found: Called once, on any thread, with what is there of this name and may be used without asking its origin;
    ///     nil otherwise.
    func find(_ name: SharedName, isJustMade: Bool, found: @escaping @Sendable (SharedRendition?) -> Void)

    /// Keeps a rendition, under the content that it is of. One that is too large is not kept, nor one for which there is no
    /// room.
    ///
    /// - Parameters:
    ///   - fence: The number of the turn that it was made in: what a later turn said of the original stands.
    ///   - done: Called once, on any thread, when others find it, or when it is clear that they may not: whether it is kept.
    func keep(
        _ rendition: SharedRendition, as name: SharedName, fence: UInt64, done: @escaping @Sendable (Bool) -> Void)
}
