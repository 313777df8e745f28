/// Where the tiles of a pyramid are: a picture with all its pixels, with half as many on each side, and so on, each level
/// cut into tiles, so that whoever looks closely gets what they look at and no more. Documentation/pictures.md tells how
/// the file is written.
public struct PyramidLayout: Hashable, Sendable {
    /// One size of the picture.
    public struct Level: Hashable, Sendable {
        /// Pixels.
        public let width: Int
        /// Pixels.
        public let height: Int
        public let columns: Int
        public let rows: Int
        /// The number of its first tile, of all tiles of the pyramid.
        public let firstTile: Int
    }

    /// Pixels of either side of a tile that is not at an edge.
    public static let tileSide = 512
    /// The longest side in pixels of the coarsest level: what is smaller, renditions show.
    public static let coarsestSide = 2_560
    public static let mediaType = "application/vnd.tessera.pyramid"
    public static let headLength = 24
    /// What a tile's place takes in the index.
    static let entryLength = 8

    /// Pixels, upright.
    public let width: Int
    /// Pixels, upright.
    public let height: Int
    /// The finest first.
    public let levels: [Level]
    /// The narrow column of each level is its first, as it is of a picture that was turned after it was cut.
    public let isCutFromRight: Bool
    /// The low row of each level is its first.
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

    public var tileCount: Int { levels.last.map { $0.firstTile + $0.columns * $0.rows } ?? 0 }

    /// Bytes of head and index: where the first tile may be.
    public var indexEnd: Int { Self.headLength + tileCount * Self.entryLength }

    /// Head and index as they begin the file, all numbers little endian.
    ///
    /// - Parameter tiles: Where in the file each tile is, in the order of the index: level by level from the finest, row by
    ///   row from the top left.
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
