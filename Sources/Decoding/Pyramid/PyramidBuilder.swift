import CVips
import Renditions

/// Makes the pyramid tiles of all levels in one pass over an image, from its first row to its last.
struct PyramidBuilder {
    private let turning: Turning
    private let layout: PyramidLayout
    private let background: UInt32
    private let stop: RenderStop
    private var file: PyramidFile
    private var strips: [PyramidStrip] = []

    /// The quality of an image that is viewed by itself.
    private static let quality = 85

    /// - Parameters:
    ///   - picture: The image as stored; its rows are read in order.
    ///   - output: A descriptor open for writing.
    static func build(
        _ picture: Picture, orientation: Int, background: UInt32, in output: Int32, memory: Int64, stop: RenderStop
    ) throws(DecoderFailure) {
        let turning = Turning(orientation: orientation)
        let layout = turning.layout(storedWidth: picture.width, height: picture.height)
        // All strips together have less than twice the rows of the first.
        let rows = min(PyramidLayout.tileSide, picture.height)
        guard Int64(2 * picture.width * picture.bands * rows) <= memory else {
            throw DecoderFailure("rows of \(picture.width) pixels are too long for strips of them", .bounds)
        }
        var builder = PyramidBuilder(
            turning: turning, layout: layout, background: background, stop: stop,
            file: try PyramidFile(output, layout: layout))
        builder.strips = layout.levels.map { level in
            PyramidStrip(
                width: turning.isAcross ? level.height : level.width,
                height: turning.isAcross ? level.width : level.height, bands: picture.bands,
                capacity: PyramidLayout.tileSide)
        }
        try picture.eachRow(stop: stop) { row throws(DecoderFailure) in try builder.take(row) }
        try builder.file.finish()
    }

    private mutating func take(_ row: UnsafeRawBufferPointer) throws(DecoderFailure) {
        strips[0].append(row)
        try settle(0)
    }

    /// Once a strip is full, cuts it into pyramid tiles, adds it at half size to the next level, and empties it.
    private mutating func settle(_ level: Int) throws(DecoderFailure) {
        guard strips[level].isFull else { return }
        try cut(level)
        if level + 1 < strips.count {
            for first in stride(from: 0, to: strips[level].count, by: 2) {
                strips[level + 1].append(halving: strips[level], rowsFrom: first)
                try settle(level + 1)
            }
        }
        strips[level].empty()
    }

    /// Makes pyramid tiles from the rows in the strip.
    private mutating func cut(_ level: Int) throws(DecoderFailure) {
        let strip = strips[level]
        let side = PyramidLayout.tileSide
        for (column, left) in stride(from: 0, to: strip.width, by: side).enumerated() {
            guard !stop.isStopped else { throw DecoderFailure() }
            let columns = left..<min(left + side, strip.width)
            let pixels = strip.pixels(columns)
            let tile = try Picture(
                copying: pixels, width: columns.count, height: strip.count, bands: strip.bands
            ).upright(turning.orientation, stop: stop)
            let number = turning.tile(column: column, row: strip.gone / side, of: layout.levels[level])
            // A JPEG takes a tenth of the time to encode and display, but cannot preserve transparency.
            let format: OutputFormat = strip.isOpaque(pixels) ? .jpeg : .webp
            let bytes = try Encoding(format, quality: Self.quality).encode(tile, background: background)
            try file.append(bytes, number: number)
        }
    }
}
