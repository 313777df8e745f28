/// Lets the nodes of a gallery list a source once for all: one node at a time lists it, and the others read its
/// listing, even while it is in progress.
///
/// The node that lists must renew its lease every few seconds; otherwise it loses the lease and another node may begin.
/// All calls throw if the shared state cannot be reached, and ``ListingLost`` if the listing was replaced.
public protocol ListingSharing: AnyObject, Sendable {
    /// Begins a listing, unless another node is making one, or there is one that began within this time.
    ///
    /// - Parameter source: The source's name, equal on all nodes.
    /// - Returns: The listing that exists now; if ``SharedListing/isOwn``, this node has to make it.
    func begin(_ source: String, orReadBegunWithin age: Duration) async throws -> SharedListing

    /// The state of a source's listing; nil if there has never been one.
    func state(of source: String) async throws -> SharedListing?

    /// Consecutive parts of a listing, beginning with this one; empty if there are none yet.
    func parts(of listing: SharedListing, from first: Int) async throws -> [String]

    /// Adds a part to this node's listing.
    func add(_ part: String, at number: Int, to listing: SharedListing) async throws

    /// Renews this node's lease for its listing.
    func renew(_ listing: SharedListing) async throws

    /// Completes the listing.
    ///
    /// - Parameter digest: A digest of its whole content, equal for equal content.
    func end(_ listing: SharedListing, digest: String) async throws

    /// Abandons the listing, so that another node may begin one at once.
    func giveUp(_ listing: SharedListing) async
}

/// A listing of a source, complete or in progress, as it was at the time of the request.
public struct SharedListing: Hashable, Sendable {
    public let source: String
    /// Distinguishes this listing from earlier ones.
    public let number: Int64
    /// Whether it was begun for the node that asked.
    public let isOwn: Bool
    public let parts: Int
    public let isWhole: Bool
    /// Whether its node has let the lease expire.
    public let isAbandoned: Bool
    /// The time since it began.
    public let age: Duration
    /// How long it took, or has taken so far.
    public let time: Duration
    /// The digest of its content, once it is complete.
    public let digest: String?

    public init(
        source: String, number: Int64, isOwn: Bool, parts: Int, isWhole: Bool, isAbandoned: Bool, age: Duration,
        time: Duration, digest: String?
    ) {
        self.source = source
        self.number = number
        self.isOwn = isOwn
        self.parts = parts
        self.isWhole = isWhole
        self.isAbandoned = isAbandoned
        self.age = age
        self.time = time
        self.digest = digest
    }
}

/// The listing was replaced by another node's, or is gone.
public struct ListingLost: Error, Hashable, Sendable {
    public init() {}
}

/// Receives announcements of listings by other nodes.
public protocol ListingReceiving: Sendable {
    /// A listing is complete. Callable on any thread; returns at once.
    func received(_ listing: SharedListing)
}
