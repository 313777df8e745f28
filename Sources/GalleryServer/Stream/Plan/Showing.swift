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
    var preview: Stage
    var tile: Stage

    init(image: ImageID, version: ContentVersion?, held: StreamRenditions, needsTile: Bool) {
        self.image = image
        self.version = version
        tile = needsTile && !held.contains(.tile) ? .wanted : .done
        preview = held.contains(.preview) || held.contains(.tile) ? .done : .wanted
    }

    var isSettled: Bool { preview == .done && tile == .done }

    subscript(_ rendition: StreamRendition) -> Stage {
        get { rendition == .preview ? preview : tile }
        set {
            switch rendition {
            case .preview: preview = newValue
            case .tile: tile = newValue
            }
        }
    }

    /// Nothing more is sent for it.
    mutating func settle() {
        preview = .done
        tile = .done
    }
}

/// One rendition of one slot.
struct Piece: Hashable, Sendable {
    let slot: Int
    let rendition: StreamRendition
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
