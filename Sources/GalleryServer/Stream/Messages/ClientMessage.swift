import Images

/// A message from a client of the stream; see Documentation/stream.md.
enum ClientMessage: Equatable, Sendable {
    case viewport(Viewport)
    /// Bytes of binary messages received so far.
    case received(Int)
    case has([HeldImage])
    case forgot([HeldImage])
    /// Failed slots to try again. With `bypassesNegativeCache`, a person asked for the retry, and cached failures are
    /// ignored. Otherwise the client retries by itself, and gets a cached failure again.
    case retry([Int], bypassesNegativeCache: Bool)
    /// Asks whether the server is still there: a dead connection looks like an idle one.
    case ping

    /// The most entries of a list in one message.
    static let maximumEntries = 500
}

/// The slots on screen, and where the scroll is going.
struct Viewport: Hashable, Sendable {
    static let maximumCount = 500
    /// Slots a second; anything faster is not scrolling.
    static let maximumVelocity = 1e7
    /// In seconds. On a slower page, aiming ahead would be guessing.
    static let maximumLag = 0.5
    /// Bytes a second; anything faster is a cache.
    static let maximumRate = 1e11

    /// The revision of the catalog that the client knows; nil if it knows none.
    var revision: UInt64?
    var first: Int
    var count: Int
    /// 1 towards the end, -1 towards the beginning, 0 at rest.
    var direction = 0
    /// Slots a second; never negative.
    var velocity = 0.0
    /// The first slot on screen when the scroll stops, if the client can tell.
    var landing: Int?
    /// The length of `side` that a slot needs, in device pixels; nil if the client does not say.
    var pixels: Int?
    /// The side that `pixels` measures; nil for a client that gives only the size of its slots and supports only
    /// previews and tiles.
    var side: Side?
    /// With ``Side/box``: the height of the box in device pixels; `pixels` is its width.
    var height: Int?
    /// Slots to prepare ahead and behind, in the direction of travel; nil leaves that to the server.
    var ahead: Int?
    var behind: Int?
    /// The client can assemble renditions that arrive in several messages.
    var takesParts = false
    /// Nothing larger than a tile is sent, because the user pays for the data.
    var savesData = false
    /// Seconds from the arrival of a preview until it is painted, as measured by the client; nil if it does not
    /// measure.
    var lag: Double?
    /// The rate at which the page itself arrived, in bytes a second; nil if it came out of a cache.
    var rate: Double?
    /// Bytes of binary messages received so far; nil from a client that does not count them.
    var received: Int?
    var has: [HeldImage] = []
    /// The canonical text of the view that the slots belong to; empty for the plain view.
    var view = ""

    static let longestView = 16_384
    /// The most slots to prepare on one side.
    static let maximumAhead = 240

    var slots: Range<Int> { first..<first + count }

    /// Which side of a picture fills its slot.
    enum Side: String, CaseIterable, Sendable {
        /// The whole picture fits into a square.
        case longer
        /// The picture fills a square and is cropped at two sides.
        case shorter
        /// The whole picture fits into a row of pictures of one height.
        case height
        /// The whole picture fits into a box.
        case box
    }
}

/// The renditions of one content of one image that a client holds.
struct HeldImage: Hashable, Sendable {
    /// In a message as decoded: the public id; see ``ClientMessage/decrypted(by:)``.
    var image: ImageID
    var version: ContentVersion
    var renditions: StreamRenditions
}
