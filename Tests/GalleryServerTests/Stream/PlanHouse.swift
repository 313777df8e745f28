import Images
import Loading

@testable import GalleryServer

/// A plan with a catalog of numbered images, whose steps the test takes: whatever is looked for is at hand at once, unless
/// the test says that it is slow.
struct PlanHouse {
    static let previewBytes = 700
    static let tileBytes = 15_000

    struct Sent: Equatable {
        let slot: Int
        let rendition: StreamRendition
        let bytes: Int
        let token: Token
        let endsToken: Bool
        /// Of the rendition's bytes.
        var part = 0..<0
        /// More of the rendition is to follow.
        var isPart = false
    }

    var plan: StreamPlan
    var now = 100.0
    /// Bytes of what is larger than a tile.
    var fineBytes = Self.tileBytes
    /// What is looked for stays under way until the test delivers it.
    var isSlow = false
    private(set) var tokens = TokenSource()
    /// Tokens that the plan gave up.
    private(set) var cancelled: [Token] = []
    private(set) var delivered: [Token] = []
    private(set) var looked: [(piece: Piece, isAhead: Bool, distance: UInt32)] = []
    private(set) var told: [ServerMessage.Assignment] = []
    private(set) var isResting = false

    init(total: Int = 100_000, keepsCancelled: Bool = false) {
        plan = StreamPlan(revision: 1, total: total, keepsCancelled: keepsCancelled)
    }

    /// On a link that has brought so many bytes a second, each after so many seconds.
    static func on(rate: Double, roundTrip: Double = 0.1) -> PlanHouse {
        var house = PlanHouse()
        house.plan.acknowledge(0, at: house.now)
        for _ in 0..<40 {
            house.plan.link.hand(Int(rate * roundTrip), at: house.now)
            house.now += roundTrip
            house.acknowledgeAll()
        }
        return house
    }

    static func image(_ slot: Int, version: UInt64? = 1) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: UInt64(slot) + 1), name: "IMG_\(slot).jpg",
            location: .remote(url: "http://example.org/\(slot)"),
            version: version.map(ContentVersion.init(rawValue:)), facts: ImageFacts())
    }

    static func rendition(
        _ rendition: StreamRendition, version: UInt64 = 1, bytes: Int? = nil, ratio: Int = 1
    ) -> RenditionBytes {
        let count = bytes ?? (rendition == .preview ? previewBytes : tileBytes)
        return RenditionBytes(
            bytes: [UInt8](repeating: 7, count: count), mediaType: "image/webp",
            version: ContentVersion(rawValue: version), width: ratio, height: 1)
    }

    static func held(_ slot: Int, _ renditions: StreamRenditions, version: UInt64 = 1) -> HeldImage {
        HeldImage(
            image: ImageID(rawValue: UInt64(slot) + 1), version: ContentVersion(rawValue: version),
            renditions: renditions)
    }

    mutating func show(_ viewport: Viewport) { cancelled += plan.show(viewport, at: now) }

    mutating func show(_ first: Int, _ count: Int = 40, velocity: Double = 0, direction: Int = 1, landing: Int? = nil) {
        var viewport = Viewport(first: first, count: count)
        viewport.velocity = velocity
        viewport.direction = velocity > 0 ? direction : 0
        viewport.landing = landing
        show(viewport)
    }

    mutating func hold(_ images: [HeldImage]) { cancelled += plan.hold(images) }

    mutating func retry(_ slots: [Int], insists: Bool = true) { cancelled += plan.retry(slots, insists: insists) }

    mutating func adopt(revision: UInt64, total: Int) { cancelled += plan.adopt(revision: revision, total: total) }

    mutating func know(_ images: [GalleryImage]) {
        for image in images { know(image, at: image.slot) }
    }

    mutating func know(_ image: GalleryImage, at slot: Int) { cancelled += plan.know([image], from: slot) }

    /// Reads what the plan wants to know.
    mutating func read() {
        for _ in 0..<20 {
            guard let run = plan.unread(at: now), !run.isEmpty else { return }
            know(run.map { Self.image($0) })
        }
    }

    /// What goes to the socket next: a piece, or nil for a rest. What the client is told of on the way is in `told`.
    mutating func next() -> Sent? {
        read()
        while true {
            switch plan.next(at: now) {
            case .issue(let slots):
                for slot in slots { plan.assign(tokens.next(), to: slot) }
            case .look(let piece, let isAhead, let distance):
                looked.append((piece, isAhead, distance))
                if isSlow {
                    plan.load(piece, isAhead: isAhead)
                } else {
                    let isFine = piece.rendition.longestSide > StreamRendition.tile.longestSide
                    plan.provide(piece, .image(Self.rendition(piece.rendition, bytes: isFine ? fineBytes : nil)))
                }
            case .recall(let pieces):
                for piece in pieces {
                    if isSlow {
                        plan.miss(piece)
                    } else {
                        plan.provide(piece, .image(Self.rendition(piece.rendition)))
                    }
                }
            case .tell(let slots): told += plan.tell(slots)
            case .send(let piece):
                guard let sending = plan.send(piece, at: now) else { continue }
                if sending.endsToken { delivered.append(sending.token) }
                isResting = false
                return Sent(
                    slot: piece.slot, rendition: piece.rendition,
                    bytes: RenditionHead.length + sending.part.count, token: sending.token,
                    endsToken: sending.endsToken, part: sending.part, isPart: sending.isPart)
            case .rest:
                isResting = true
                return nil
            }
        }
    }

    /// All that goes out until the plan rests.
    mutating func drain(limit: Int = 10_000) -> [Sent] {
        var all: [Sent] = []
        while all.count < limit, let sent = next() { all.append(sent) }
        return all
    }

    /// The client has everything that was sent.
    mutating func acknowledgeAll() { plan.acknowledge(plan.link.handed, at: now) }

    /// What is under way comes, in this order.
    mutating func deliver(_ pieces: [Piece]) {
        for piece in pieces { plan.provide(piece, .image(Self.rendition(piece.rendition))) }
    }
}

/// Tokens without a book: any 22 letters that are one.
struct TokenSource {
    private var last: UInt64 = 0

    mutating func next() -> Token {
        last += 1
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        var number = last
        for _ in 0..<21 {
            text.append(alphabet[Int(number & 63)])
            number >>= 6
        }
        return Token(text + "A")!
    }
}

extension GalleryImage {
    /// Where the houses of these tests have it.
    var slot: Int { Int(id.rawValue) - 1 }
}
