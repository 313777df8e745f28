import Images
import Loading

/// One showing of one slot to the client: what is still to be sent for it.
struct Showing: Sendable {
    enum Stage: Sendable {
        /// Not needed: sent, held by the client, or of no use to it.
        case done
        case wanted
        /// Wanted, not in memory, and gone by the time that it would be loaded.
        case missed
        case loading
        case atHand
    }

    let image: ImageID
    var version: ContentVersion?
    /// Nil until the slot is served, and when nothing is to be sent for it.
    var token: Token?
    /// The client knows what stands in the slot.
    var isTold = false
    /// Something was sent for its token.
    var isBegun = false
    /// What failed before is tried again, however well it is remembered.
    var insists = false
    private(set) var needs: NeededRenditions
    var preview = Stage.wanted
    var tile = Stage.wanted
    var fine = Stage.wanted

    init(image: ImageID, version: ContentVersion?, held: StreamRenditions, needs: NeededRenditions) {
        self.image = image
        self.version = version
        self.needs = needs
        hold(held)
    }

    var isSettled: Bool { preview == .done && tile == .done && fine == .done }

    /// Nil where the slot has none of this grade.
    func rendition(of grade: Grade) -> StreamRendition? {
        switch grade {
        case .preview: .preview
        case .tile: needs.tile
        case .needed: needs.fine ?? needs.tile
        }
    }

    subscript(_ grade: Grade) -> Stage { rendition(of: grade).map { self[$0] } ?? .done }

    subscript(_ rendition: StreamRendition) -> Stage {
        get {
            switch rendition {
            case .preview: preview
            case needs.tile: tile
            case needs.fine: fine
            default: .done
            }
        }
        set {
            switch rendition {
            case .preview: preview = newValue
            case needs.tile: tile = newValue
            case needs.fine: fine = newValue
            default: break
            }
        }
    }

    /// What serves for something that the client holds need not be sent.
    mutating func hold(_ held: StreamRenditions) {
        if held.serve(for: .preview) { preview = .done }
        if needs.tile.map(held.serve) ?? true { tile = .done }
        if needs.fine.map(held.serve) ?? true { fine = .done }
    }

    /// The slot has another size. What is under way for renditions that it still needs goes on.
    mutating func change(to needs: NeededRenditions, held: StreamRenditions) {
        if needs.tile != self.needs.tile { tile = .wanted }
        if needs.fine != self.needs.fine { fine = .wanted }
        self.needs = needs
        hold(held)
    }

    /// Nothing more is sent for it.
    mutating func settle() {
        preview = .done
        tile = .done
        fine = .done
    }
}

/// One rendition of one slot.
struct Piece: Hashable, Sendable {
    let slot: Int
    let rendition: StreamRendition

    /// In one step: each message asks for some.
    func hash(into hasher: inout Hasher) { hasher.combine(slot << 3 | Int(rendition.rawValue)) }
}

/// What a load brought.
enum PieceContent: Sendable {
    case image(RenditionBytes)
    case problem(LoadFailure, json: [UInt8])

    /// Bytes after the head of the message.
    var body: [UInt8] {
        switch self {
        case .image(let rendition): rendition.bytes
        case .problem(_, let json): json
        }
    }
}
