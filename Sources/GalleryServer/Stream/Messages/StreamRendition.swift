import Images

/// The renditions that the stream sends. The raw value stands in the head of a binary message.
enum StreamRendition: UInt8, CaseIterable, Hashable, Sendable {
    case preview = 1
    case tile = 2
    case step160 = 3
    case step640 = 4
    case step1280 = 5
    case step2560 = 6

    /// What stays on screen, the smallest first.
    static let steps: [StreamRendition] = [.step160, .tile, .step640, .step1280, .step2560]

    /// Nil for what the stream does not send.
    init?(name: String) {
        guard let rendition = Rendition(name: name),
            let sent = Self.allCases.first(where: { $0.rendition == rendition })
        else { return nil }
        self = sent
    }

    var rendition: Rendition {
        switch self {
        case .preview: .preview
        case .tile: .tile
        case .step160: .step160
        case .step640: .step640
        case .step1280: .step1280
        case .step2560: .step2560
        }
    }

    /// Pixels of the longer side.
    var longestSide: Int { rendition.longestSide ?? 0 }

    /// How many times as many pixels as a tile it has.
    var tilesOfPixels: Double {
        let side = Double(longestSide) / Double(Self.tile.longestSide)
        return side * side
    }
}

/// Some of the stream's renditions.
struct StreamRenditions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let preview = StreamRenditions(.preview)
    static let tile = StreamRenditions(.tile)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ rendition: StreamRendition) { rawValue = 1 << (rendition.rawValue - 1) }

    /// Whether one of them has as many pixels: what is larger serves for it, too.
    func serve(for rendition: StreamRendition) -> Bool { !isDisjoint(with: Self.serving[Int(rendition.rawValue) - 1]) }

    /// By the number of a rendition, those that serve for it.
    private static let serving = StreamRendition.allCases.map { rendition in
        let serving = StreamRendition.allCases.filter { $0.longestSide >= rendition.longestSide }
        return StreamRenditions(serving.map { StreamRenditions($0) })
    }
}
