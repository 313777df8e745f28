public import Scheduling

/// Agrees with other nodes on which one makes what, so that each rendition is made once, and each remote original
/// fetched once, however many nodes are asked for it.
///
/// Calls return at once, from any thread.
public protocol Coordinating: Sendable {
    /// Whether there are no other nodes to agree with now. A load checks this first, and skips the agreement if so.
    var isSingleNode: Bool { get }

    /// Requests the lease to make a rendition. For a remote image, one node holds the lease for all renditions.
    ///
    /// - Parameters:
    ///   - level: The priority here, for the node that holds the lease.
    ///   - bypassesNegativeCache: Whether a person asked for another try, so that failures of other nodes are ignored.
    ///   - onEvent: Called on any thread. See ``LeaseEvent``.
    func ask(
        _ name: SharedName, level: Priority.Level, bypassesNegativeCache: Bool,
        onEvent: @escaping @Sendable (LeaseEvent) -> Void
    ) -> any Lease

    /// Announces that a rendition which other nodes requested can now be found in the tier.
    func announce(made name: SharedName)

    /// Announces that a requested rendition was made but is not in the tier, so the nodes waiting for it must make it
    /// themselves.
    func announce(unshared name: SharedName)
}

/// What a node hears after requesting a lease: first one of `granted`, `made`, `failed` and `alone`, and after
/// `granted` any number of `requested` and `requestWithdrawn`.
public enum LeaseEvent: Hashable, Sendable {
    /// This node holds the lease: make the rendition, then end the lease. Everything published to the tier carries this
    /// fencing number; later leases have greater numbers.
    case granted(fence: UInt64)
    /// Another node has made it, and it can be found.
    case made
    /// Another node has tried and failed.
    case failed(LoadFailure)
    /// The lease service cannot be reached: make the rendition without telling other nodes.
    case alone
    /// Other nodes request this rendition of the leased image.
    case requested(SharedName, level: Priority.Level)
    /// The other nodes no longer wait for it.
    case requestWithdrawn(SharedName)
}

/// A requested lease. It passes to another node by itself when this one dies.
public protocol Lease: Sendable {
    /// Ends the lease or withdraws the request for it. Call it once. Any thread; returns at once.
    func end(_ outcome: LeaseOutcome)
}

/// How a lease ended.
public enum LeaseOutcome: Hashable, Sendable {
    /// The rendition is in the tier.
    case made
    /// The failure would be the same on any node.
    case failed(LoadFailure)
    /// The rendition was not made, or is not shared: the waiting nodes make it themselves.
    case abandoned
}
