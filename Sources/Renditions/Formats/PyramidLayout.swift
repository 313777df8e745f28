/// The layout of a pyramid's tiles. The first level has all of a picture's pixels, the next half as many on each
/// side, and so on; each level is cut into tiles, so that a viewer that zooms in fetches only the tiles it shows.
/// Documentation/api.md describes the file format.
public struct PyramidLayout: Hashable, Sendable {
    /// One size of the picture.
    public struct Level: Hashable, Sendable {
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// The number of tiles in a row.
        public let columns: Int
        /// The number of rows of tiles.
        public let rows: Int
        /// The number of its first tile, counted over all levels.
        public let firstTile: Int
    }

    /// The width and height in pixels of a tile that is not at an edge.
    public static let tileSide = 512
    /// The longest side of the coarsest level, in pixels: renditions cover smaller sizes.
    public static let coarsestSide = 2_560
    /// The media type of the file.
    public static let mediaType = "application/vnd.tessera.pyramid"
    /// The length of the head before the index, in bytes.
    public static let headLength = 24
    /// The bytes of one tile in the index.
    static let entryLength = 8

    /// In pixels, after applying the orientation.
    public let width: Int
    /// In pixels, after applying the orientation.
    public let height: Int
    /// The finest level comes first.
    public let levels: [Level]
    /// Whether the narrow column of each level is its first one, because the picture was rotated after cutting.
    public let isCutFromRight: Bool
    /// Whether the low row of each level is its first one.
    public let isCutFromBottom: Bool

    /// - Precondition: `width` and `height` are positive.
    public init(width: Int, height: Int, isCutFromRight: Bool = false, isCutFromBottom: Bool = false) {
        self.width = width
        self.height = height
        self.isCutFromRight = isCutFromRight
        self.isCutFromBottom = isCutFromBottom
        var levels: [Level] = []
        var (levelWidth, levelHeight, tiles) = (width, height, 0)
        while true {
            let columns = (levelWidth + Self.tileSide - 1) / Self.tileSide
            let rows = (levelHeight + Self.tileSide - 1) / Self.tileSide
            levels.append(
                Level(width: levelWidth, height: levelHeight, columns: columns, rows: rows, firstTile: tiles))
            tiles += columns * rows
            guard max(levelWidth, levelHeight) > Self.coarsestSide else { break }
            (levelWidth, levelHeight) = ((levelWidth + 1) / 2, (levelHeight + 1) / 2)
        }
        self.levels = levels
    }

    /// The number of tiles in all levels.
    public var tileCount: Int { levels.last.map { $0.firstTile + $0.columns * $0.rows } ?? 0 }

    /// The length of head and index in bytes, which is the earliest offset of a tile.
    public var indexEnd: Int { Self.headLength + tileCount * Self.entryLength }

    /// The head and index at the beginning of the file, with little-endian numbers.
    ///
    /// - Parameter tiles: The byte range of each tile in the file, in the order of the index: level by level from the
    ///   finest, row by row from the top left.
    public func head(tiles: [Range<Int>]) -> [UInt8] {
        var bytes = Array("TSRP".utf8)
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(UInt16(1))
        append(UInt16(Self.tileSide))
        append(UInt32(width))
        append(UInt32(height))
        append(UInt16(levels.count))
        append(UInt8((isCutFromRight ? 1 : 0) | (isCutFromBottom ? 2 : 0)))
        append(UInt8(0))
        append(UInt32(indexEnd))
        for tile in tiles {
            append(UInt32(tile.lowerBound))
            append(UInt32(tile.count))
        }
        return bytes
    }
}
