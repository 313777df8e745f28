import Images
import Renditions

/// The name of a rendition in the caches. Its version is kept beside it: a newer content replaces the older one.
struct TileKey: Hashable, Sendable {
    let image: UInt64
    /// Rendition and format in one number, which is also how the disk knows them: never renumber.
    let kind: UInt8

    init(image: UInt64, kind: UInt8) {
        self.image = image
        self.kind = kind
    }

    init(image: ImageID, rendition: Rendition, format: OutputFormat) {
        self.image = image.rawValue
        let size: UInt8 =
            switch rendition {
            case .preview: 0
            case .tile: 1
            case .screen: 2
            case .original: 3
            case .step160: 4
            case .step640: 5
            case .step1280: 6
            case .step2560: 7
            case .full: 8
            case .pyramid: 9
            }
        let encoding: UInt8 =
            switch format {
            case .avif: 0
            case .webp: 1
            case .jpeg: 2
            }
        kind = size << 4 | encoding
    }
}
