import Images

/// A rendition that the stream sends: one with a ``Rendition/streamNumber``.
struct StreamRendition: CaseIterable, RawRepresentable, Hashable, Sendable {
    /// The stream number, as in the head of a binary message.
    let rawValue: UInt8

    static let preview = StreamRendition(.preview)
    static let step160 = StreamRendition(.step160)
    static let tile = StreamRendition(.tile)
    static let step640 = StreamRendition(.step640)
    static let step1280 = StreamRendition(.step1280)
    static let step2560 = StreamRendition(.step2560)

    /// All renditions with a stream number; the index is the number minus one.
    private static let renditions: [Rendition] = {
        let numbered = Rendition.allCases.compactMap { rendition in rendition.streamNumber.map { ($0, rendition) } }
        return numbered.sorted { $0.0 < $1.0 }.map(\.1)
    }()
    private static let sides = renditions.map { $0.longestSide ?? 0 }

    static let allCases = renditions.map { StreamRendition($0) }

    /// The renditions that may stay on screen, smallest first.
    static let steps = Rendition.steps.filter { $0.streamNumber != nil }.map { StreamRendition($0) }
    static let largest = steps[steps.count - 1]

    /// - Precondition: the stream sends the rendition.
    private init(_ rendition: Rendition) {
        guard let number = rendition.streamNumber else { preconditionFailure("\(rendition) is not streamed") }
        rawValue = number
    }

    /// Nil if no rendition has this number.
    init?(rawValue: UInt8) {
        guard rawValue > 0, rawValue <= Self.renditions.count else { return nil }
        self.rawValue = rawValue
    }

    /// Nil for a rendition that the stream does not send.
    init?(name: String) {
        guard let rendition = Rendition(name: name), rendition.streamNumber != nil else { return nil }
        self.init(rendition)
    }

    var rendition: Rendition { Self.renditions[Int(rawValue) - 1] }

    /// The longer side in pixels.
    var longestSide: Int { Self.sides[Int(rawValue) - 1] }

    /// The number of pixels as a multiple of a tile's.
    var tilesOfPixels: Double {
        let side = Double(longestSide) / Double(Self.tile.longestSide)
        return side * side
    }
}

/// A set of renditions of the stream.
struct StreamRenditions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let preview = StreamRenditions(.preview)
    static let tile = StreamRenditions(.tile)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ rendition: StreamRendition) { rawValue = 1 << (rendition.rawValue - 1) }

    /// Whether one of them has enough pixels: a larger rendition can replace a smaller one.
    func serve(for rendition: StreamRendition) -> Bool { !isDisjoint(with: Self.serving[Int(rendition.rawValue) - 1]) }

    /// For each rendition, in sequence of its number, the renditions that can replace it.
    private static let serving = StreamRendition.allCases.map { rendition in
        let serving = StreamRendition.allCases.filter { $0.longestSide >= rendition.longestSide }
        return StreamRenditions(serving.map { StreamRenditions($0) })
    }
}
