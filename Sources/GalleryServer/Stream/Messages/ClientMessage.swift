import Images

/// What a client of the stream says; see Documentation/stream.md.
enum ClientMessage: Equatable, Sendable {
    case viewport(Viewport)
    /// Bytes of binary messages that have come so far.
    case received(Int)
    case has([HeldImage])
    case forgot([HeldImage])
    /// Slots that failed and are to be tried again. `insists`: a person asks, and what is remembered of the failure does
    /// not count; else a client asks by itself, and what is remembered is told again.
    case retry([Int], insists: Bool)
    /// Asks whether anybody is there: what stands still looks, from the other end, like what has nothing to say.
    case ping

    /// What is wrong with a message: the member's name and the rule that it breaks.
    struct Misunderstood: Error, Hashable, Sendable, CustomStringConvertible {
        let member: String
        let rule: String

        var description: String { "\(member) \(rule)" }
    }

    /// The longest lists that one message may have.
    static let maximumEntries = 500
}

/// The slots that are on screen, and where the scrolling is going.
struct Viewport: Hashable, Sendable {
    static let maximumCount = 500
    /// Slots a second; more is no scrolling.
    static let maximumVelocity = 1e7
    /// Seconds; where a page is slower than that, aiming ahead of it is guessing.
    static let maximumLag = 0.5

    /// Of the catalog as the client knows it; nil when it knows none.
    var revision: UInt64?
    var first: Int
    var count: Int
    /// 1 towards the end, -1 towards the beginning, 0 at rest.
    var direction = 0
    /// Slots a second, not negative.
    var velocity = 0.0
    /// The slot that will be the first on screen when the scrolling ends, as far as the client can tell.
    var landing: Int?
    /// Device pixels that a slot needs of a picture's `side`; nil where the client does not say.
    var pixels: Int?
    /// What `pixels` are of; nil for a client that says only how large its slots are, and knows previews and tiles alone.
    var side: Side?
    /// Where `side` is ``Side/box``: device pixels of the box from top to bottom, while `pixels` are those across it.
    var height: Int?
    /// Slots that are made ready before and behind those on screen, in the direction of travel; nil leaves it to the server.
    var ahead: Int?
    var behind: Int?
    /// The client puts renditions together that come in several messages.
    var takesParts = false
    /// Tiles have to do: whoever looks pays for what is sent.
    var savesData = false
    /// Seconds from the coming of a preview until it is on screen, as the client measures it; nil where it does not.
    var lag: Double?
    /// Bytes of binary messages that have come so far; nil from a client that does not count them.
    var received: Int?
    var has: [HeldImage] = []
    /// The canonical text of the view that the slots are of; empty for the plain one.
    var view = ""

    static let longestView = 4_096
    /// Slots made ready on one side, at the most.
    static let maximumAhead = 240

    var slots: Range<Int> { first..<first + count }

    /// Which side of a picture fills its slot.
    enum Side: String, CaseIterable, Sendable {
        /// The whole picture is in a square.
        case longer
        /// The picture fills a square, and is cut at two sides.
        case shorter
        /// The whole picture is in a row of pictures of one height.
        case height
        /// The whole picture is in a box.
        case box
    }
}

/// Renditions of one content of one image that a client holds.
struct HeldImage: Hashable, Sendable {
    var image: ImageID
    var version: ContentVersion
    var renditions: StreamRenditions
}
