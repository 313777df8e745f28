/// How the nodes of a gallery list a source once for all of them: one lists it at a time, and the others read what it found,
/// also while it is still at it.
///
/// Whoever lists has to say every few seconds that it goes on; who does not has lost its turn, and another may begin. All
/// calls throw while the others cannot be asked, and ``ListingLost`` where the listing is not what it was.
public protocol ListingSharing: AnyObject, Sendable {
    /// Begins a listing, unless another node is at one, or one is there that was begun within this time.
    ///
    /// - Parameter source: The name that all nodes have for it.
    /// - Returns: the listing that there is now: this node's to make where ``SharedListing/isOwn``.
    func begin(_ source: String, orReadBegunWithin age: Duration) async throws -> SharedListing

    /// How it stands with the listing of a source; nil where there never was one.
    func state(of source: String) async throws -> SharedListing?

    /// Some parts of a listing, from this one on, in their order; none where there are none yet.
    func parts(of listing: SharedListing, from first: Int) async throws -> [String]

    /// Adds a part to this node's listing.
    func add(_ part: String, at number: Int, to listing: SharedListing) async throws

    /// Says that this node goes on with its listing.
    func keep(_ listing: SharedListing) async throws

    /// The listing is whole.
    ///
    /// - Parameter digest: of all that is in it, the same for the same content.
    func end(_ listing: SharedListing, digest: String) async throws

    /// The listing will not become whole: another node may begin one at once.
    func giveUp(_ listing: SharedListing) async
}

/// A listing of a source that one node makes, or has made, as it was when it was asked for.
public struct SharedListing: Hashable, Sendable {
    public let source: String
    /// Tells it from those before it.
    public let number: Int64
    /// Whether it was begun for the node that asked.
    public let isOwn: Bool
    public let parts: Int
    public let isWhole: Bool
    /// Whether its node has not said lately that it goes on.
    public let isAbandoned: Bool
    /// How long ago it was begun.
    public let age: Duration
    /// How long it has taken so far, or took.
    public let time: Duration
    /// Of its content, once it is whole.
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

/// The listing was begun anew by another node, or is gone.
public struct ListingLost: Error, Hashable, Sendable {
    public init() {}
}

/// Hears of listings that other nodes have made.
public protocol ListingHearing: Sendable {
    /// A listing is whole. Any thread; returns at once.
    func heard(_ listing: SharedListing)
}
