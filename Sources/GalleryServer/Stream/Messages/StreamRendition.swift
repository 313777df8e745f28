import Images

/// The renditions that the stream sends. The raw value stands in the head of a binary message.
enum StreamRendition: UInt8, CaseIterable, Hashable, Sendable {
    case preview = 1
    case tile = 2

    var rendition: Rendition {
        switch self {
        case .preview: .preview
        case .tile: .tile
        }
    }
}

/// Some of the stream's renditions.
struct StreamRenditions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let preview = StreamRenditions(.preview)
    static let tile = StreamRenditions(.tile)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ rendition: StreamRendition) { rawValue = rendition.rawValue }
}
