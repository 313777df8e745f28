import Images
import Loading
import Scheduling

@testable import GalleryServer

/// A plan with a catalog of numbered images, run step by step by the test: every lookup is a hit at once unless the
/// test makes lookups slow.
struct PlanFixture {
    static let previewBytes = 700
    static let tileBytes = 15_000

    struct Sent: Equatable {
        let slot: Int
        let rendition: StreamRendition
        let bytes: Int
        let token: Token
        let endsToken: Bool
        /// The range within the rendition's bytes.
        var part = 0..<0
        /// Whether more of the rendition follows.
        var isPart = false
    }

    var plan: StreamPlan
    var now = 100.0
    /// The size of a rendition larger than a tile, in bytes.
    var fineBytes = Self.tileBytes
    /// Whether lookups stay pending until the test delivers them.
    var isSlow = false
    private(set) var tokens = TokenSource()
    /// Tokens that the plan has cancelled.
    private(set) var cancelled: [Token] = []
    private(set) var delivered: [Token] = []
    private(set) var looked: [(piece: Piece, isAhead: Bool, distance: UInt32)] = []
    private(set) var told: [ServerMessage.Assignment] = []
    private(set) var isResting = false

    init(total: Int = 100_000) {
        plan = StreamPlan(revision: 1, total: total)
    }

    /// A plan on a link with a known rate in bytes per second and round trip in seconds.
    static func on(rate: Double, roundTrip: Double = 0.1) -> PlanFixture {
        var fixture = PlanFixture()
        fixture.plan.acknowledge(0, at: fixture.now)
        for _ in 0..<40 {
            fixture.plan.link.sent(Int(rate * roundTrip), at: fixture.now)
            fixture.now += roundTrip
            fixture.acknowledgeAll()
        }
        return fixture
    }

    static func image(_ slot: Int, version: UInt64? = 1, metadata: ImageMetadata = ImageMetadata()) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: UInt64(slot) + 1), name: "IMG_\(slot).jpg",
            location: .remote(url: "http://example.org/\(slot)"),
            version: version.map(ContentVersion.init(rawValue:)), metadata: metadata)
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

    mutating func retry(_ slots: [Int], bypassesNegativeCache: Bool = true) {
        cancelled += plan.retry(slots, bypassesNegativeCache: bypassesNegativeCache)
    }

    mutating func adopt(revision: UInt64, total: Int) { cancelled += plan.adopt(revision: revision, total: total) }

    mutating func setImages(_ images: [GalleryImage]) {
        for image in images { setImages(image, at: image.slot) }
    }

    mutating func setImages(_ image: GalleryImage, at slot: Int) { cancelled += plan.setImages([image], from: slot) }

    /// Provides the images that the plan has to read.
    mutating func read() {
        for _ in 0..<20 {
            guard let run = plan.unreadRun(at: now), !run.isEmpty else { return }
            setImages(run.map { Self.image($0) })
        }
    }

    /// The next piece for the socket, or nil when the plan rests. Assignments sent before it are in `told`.
    mutating func next() -> Sent? {
        read()
        while true {
            switch plan.next(at: now) {
            case .issue(let slots):
                for slot in slots { plan.assign(tokens.next(), to: slot) }
            case .load(let piece, let isAhead, let distance):
                looked.append((piece, isAhead, distance))
                if isSlow {
                    plan.load(piece, as: plan.newLoad(), by: NoLoad(), isAhead: isAhead)
                } else {
                    let isFine = piece.rendition.longestSide > StreamRendition.tile.longestSide
                    plan.provide(piece, .image(Self.rendition(piece.rendition, bytes: isFine ? fineBytes : nil)))
                }
            case .loadFromMemory(let pieces):
                for piece in pieces {
                    if isSlow {
                        plan.miss(piece)
                    } else {
                        plan.provide(piece, .image(Self.rendition(piece.rendition)))
                    }
                }
            case .announce(let slots): told += plan.announce(slots)
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

    /// Everything that is sent until the plan rests.
    mutating func drain(limit: Int = 10_000) -> [Sent] {
        var all: [Sent] = []
        while all.count < limit, let sent = next() { all.append(sent) }
        return all
    }

    /// The client has received everything that was sent.
    mutating func acknowledgeAll() { plan.acknowledge(plan.link.sentBytes, at: now) }

    /// Delivers pending lookups in this order.
    mutating func deliver(_ pieces: [Piece]) {
        for piece in pieces { plan.provide(piece, .image(Self.rendition(piece.rendition))) }
    }
}

/// The handle of a load that is never made.
struct NoLoad: LoadHandle {
    func cancel() {}
    func reprioritise(_ priority: Priority) {}
}

/// Tokens without a registry: any 22 valid characters.
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
    /// The image's slot in these tests.
    var slot: Int { Int(id.rawValue) - 1 }
}
