public import Images

/// Cached renditions that several nodes share. A load asks it after the caches of its own node, before it makes
/// anything.
///
/// All calls return at once, from any thread. A lookup delays a load by at most some tens of milliseconds (some
/// hundreds if the tier is far away), even when the tier's server has failed.
public protocol RenditionTier: Sendable {
    /// Whether the tier is useful to a single node.
    var servesSingleNode: Bool { get }

    /// - Parameters:
    ///   - listed: The content version of a remote image in its bucket listing; nil if only its origin knows it.
    ///   - occasion: Why the load looks for it.
    ///   - found: Called once, on any thread, with the rendition of this name if it may be used without asking its
    ///     origin; otherwise with nil.
    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void)

    /// Stores a rendition under its content version. Refuses one that is too large, or that there is no room for.
    ///
    /// - Parameters:
    ///   - listed: As for `find`.
    ///   - fence: The fencing number of the lease under which it was made. Metadata of the original from a later lease
    ///     is not overwritten.
    ///   - done: Called once, on any thread, with whether other nodes can find it now.
    func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void)
}

/// Why a load looks for a rendition in the tier.
public enum LookupOccasion: Hashable, Sendable {
    /// The caches of this node do not have it.
    case first
    /// An earlier lookup found nothing, but another node may have made it since.
    case again
    /// It was made while the load waited for it, so the waiters may have it even if it must already be revalidated (RFC
    /// 9111 §4).
    case made
}
