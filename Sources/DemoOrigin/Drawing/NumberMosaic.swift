/// A mosaic of sixteen tiles along the lower edge that encodes a picture's number for machines. It survives lossy
/// encoding and scaling down to 64 pixels, so that a test can tell from the pixels on a screen which picture it sees.
///
/// Geometry, as fractions of the picture's width and height, for any size and aspect ratio: the frieze has two rows
/// of eight tiles. Row `r` (0 is the upper one) lies between `0.8 + 0.1 r` and `0.9 + 0.1 r` of the height, column
/// `c` between `c / 8` and `(c + 1) / 8` of the width. The centre of tile `k = 8 r + c` is thus at `x = (c + 0.5) /
/// 8`, `y = 0.85 + 0.1 r`. A thin joint surrounds each tile: sample the centre, or the mean of the middle half.
///
/// Each tile has one of four colours, which encode two bits:
///
/// | bits | colour | red, green, blue |
/// | --- | --- | --- |
/// | 0 | ink | 20, 22, 58 |
/// | 1 | red | 205, 38, 58 |
/// | 2 | jade | 40, 186, 150 |
/// | 3 | cream | 255, 240, 190 |
///
/// Read a tile as the nearest of these colours, by the sum of the squared differences of red, green and blue. The
/// sixteen pairs of bits, starting from tile 0 with the most significant, form a 32-bit word: the number (24 bits)
/// followed by an 8-bit checksum, combined by exclusive or with `0x1BE46CB1` so that small numbers are colourful too.
/// The checksum is `((number * 0x9E3779B1) mod 2^32) >> 24 ^ 0x5A`. Any other checksum means that the pixels do not
/// come from this origin, or are too damaged to be read. In JavaScript, with the word of the tiles as an unsigned
/// number:
///
///     const plain = (word ^ 0x1BE46CB1) >>> 0
///     const number = plain >>> 8
///     const isRead = (plain & 255) === ((Math.imul(number, 0x9E3779B1) >>> 24) ^ 0x5A)
public enum NumberMosaic {
    /// The exclusive upper limit of the numbers; the lower limit is 0.
    public static let limit = 1 << 24

    static let colours = [Colour(0x14163a), Colour(0xcd263a), Colour(0x28ba96), Colour(0xfff0be)]
    /// The fraction of the height above the frieze.
    static let top: Float = 0.8

    private static let mask: UInt32 = 0x1be4_6cb1

    /// The two bits of each tile.
    static func tiles(for number: Int) -> [Int] {
        let word = (UInt32(truncatingIfNeeded: number) << 8 | check(number)) ^ mask
        return (0..<16).map { Int(word >> UInt32(30 - 2 * $0) & 3) }
    }

    private static func check(_ number: Int) -> UInt32 {
        (UInt32(truncatingIfNeeded: number & (limit - 1)) &* 0x9e37_79b1) >> 24 ^ 0x5a
    }

    static func draw(_ number: Int, on canvas: inout Canvas) {
        let joint = Colour(0x0d0f26)
        canvas.fill(columns: 0..<canvas.width, rows: canvas.height * 8 / 10..<canvas.height, joint)
        let gap = min(canvas.width / 8, canvas.height / 10) / 24
        for (tile, bits) in tiles(for: number).enumerated() {
            let (row, column) = (tile / 8, tile % 8)
            let columns = canvas.width * column / 8 + gap..<canvas.width * (column + 1) / 8 - gap
            let rows = canvas.height * (8 + row) / 10 + gap..<canvas.height * (9 + row) / 10 - gap
            canvas.fill(columns: columns, rows: rows, colours[bits])
        }
    }

    /// The number in a picture, or nil if it can't be read.
    ///
    /// - Parameter pixels: Rows from the top, eight bits each of red, green and blue per pixel.
    public static func read(_ pixels: [UInt8], width: Int, height: Int) -> Int? {
        guard width >= 8, height >= 10, pixels.count == width * height * 3 else { return nil }
        var word: UInt32 = 0
        for tile in 0..<16 {
            let (row, column) = (Float(tile / 8), Float(tile % 8))
            let middle = mean(
                pixels, width, columns: (column + 0.25) / 8 * Float(width)..<(column + 0.75) / 8 * Float(width),
                rows: (0.825 + 0.1 * row) * Float(height)..<(0.875 + 0.1 * row) * Float(height))
            let bits = colours.indices.min { distance(middle, colours[$0]) < distance(middle, colours[$1]) } ?? 0
            word = word << 2 | UInt32(bits)
        }
        word ^= mask
        let number = Int(word >> 8)
        return word & 255 == check(number) ? number : nil
    }

    private static func distance(_ one: Colour, _ other: Colour) -> Float {
        let (red, green, blue) = (one.red - other.red, one.green - other.green, one.blue - other.blue)
        return red * red + green * green + blue * blue
    }

    /// The mean of the pixels whose centres lie in the area, or the pixel in the middle if there are none.
    private static func mean(_ pixels: [UInt8], _ width: Int, columns: Range<Float>, rows: Range<Float>) -> Colour {
        func whole(_ range: Range<Float>) -> ClosedRange<Int> {
            let low = Int((range.lowerBound - 0.5).rounded(.up))
            let high = Int((range.upperBound - 0.5).rounded(.down))
            let middle = Int((range.lowerBound + range.upperBound) / 2)
            return low <= high ? low...high : middle...middle
        }
        var sum = SIMD3<Float>()
        var count: Float = 0
        for row in whole(rows) {
            for column in whole(columns) {
                let index = (row * width + column) * 3
                sum += SIMD3(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]))
                count += 255
            }
        }
        return Colour(red: sum.x / count, green: sum.y / count, blue: sum.z / count)
    }
}
