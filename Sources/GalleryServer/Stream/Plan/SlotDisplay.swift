import Images
import Loading

/// One display of one slot, and what is still to be sent for it.
struct SlotDisplay: Sendable {
    enum Stage: Sendable {
        /// Not needed: already sent, held by the client, or useless to it.
        case done
        case wanted
        /// Wanted, but not in memory, and its slot will have left the screen before a load could end.
        case missed
        case loading
        case atHand
    }

    let image: ImageID
    var version: ContentVersion?
    /// Nil until the slot is served, and while nothing is to be sent for it.
    var token: Token?
    /// The client has been sent the assignment of this slot.
    var isAnnounced = false
    /// Something has been sent for its token.
    var isBegun = false
    /// Loads are tried again in spite of the negative cache.
    var bypassesNegativeCache = false
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

    /// Nil if the slot needs no such rendition.
    func rendition(of role: RenditionRole) -> StreamRendition? {
        switch role {
        case .preview: .preview
        case .tile: needs.tile
        case .needed: needs.fine ?? needs.tile
        }
    }

    subscript(_ role: RenditionRole) -> Stage { rendition(of: role).map { self[$0] } ?? .done }

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

    /// A rendition is not sent if a held one can replace it.
    mutating func hold(_ held: StreamRenditions) {
        if held.serve(for: .preview) { preview = .done }
        if needs.tile.map(held.serve) ?? true { tile = .done }
        if needs.fine.map(held.serve) ?? true { fine = .done }
    }

    /// The slot has another size. Loads of renditions that it still needs go on.
    mutating func change(to needs: NeededRenditions, held: StreamRenditions) {
        if needs.tile != self.needs.tile { tile = .wanted }
        if needs.fine != self.needs.fine { fine = .wanted }
        self.needs = needs
        hold(held)
    }

    /// Marks everything as done: nothing more is sent for this display.
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

    /// Hashes a single integer, because each message looks up many pieces.
    func hash(into hasher: inout Hasher) { hasher.combine(slot << 3 | Int(rendition.rawValue)) }
}

/// The result of a load.
enum PieceContent: Sendable {
    case image(RenditionBytes)
    case problem(LoadFailure, json: [UInt8])

    /// The bytes that follow the head of the message.
    var body: [UInt8] {
        switch self {
        case .image(let rendition): rendition.bytes
        case .problem(_, let json): json
        }
    }
}
