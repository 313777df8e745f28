import Images
import Renditions

/// The name of a rendition in the caches. The version is stored beside it, so newer content replaces older.
struct TileKey: Hashable, Sendable {
    let image: UInt64
    /// Rendition and format in one number. The numbers are stored on disk: never renumber them.
    let kind: UInt8

    init(image: UInt64, kind: UInt8) {
        self.image = image
        self.kind = kind
    }

    init(image: ImageID, rendition: Rendition, format: OutputFormat) {
        self.image = image.rawValue
        let encoding: UInt8 =
            switch format {
            case .avif: 0
            case .webp: 1
            case .jpeg: 2
            }
        kind = rendition.storageNumber << 4 | encoding
    }
}
