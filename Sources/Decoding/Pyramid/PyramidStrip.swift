/// Collects rows of one level until there are enough for a row of pyramid tiles. Memory is needed for these rows only,
/// however high the image is.
struct PyramidStrip {
    /// In pixels.
    let width: Int
    let bands: Int
    /// The number of rows in the whole level.
    let height: Int
    /// The maximum number of rows in the strip; even, so that pairs of rows stay together.
    let capacity: Int
    /// The number of rows in the strip.
    private(set) var count = 0
    /// The number of rows of the level that were emptied before.
    private(set) var gone = 0
    private var bytes: [UInt8]

    init(width: Int, height: Int, bands: Int, capacity: Int) {
        self.width = width
        self.height = height
        self.bands = bands
        self.capacity = capacity
        bytes = [UInt8](repeating: 0, count: width * bands * min(capacity, height))
    }

    var rowLength: Int { width * bands }
    /// Whether the strip must be emptied before a row can be added.
    var isFull: Bool { count == capacity || gone + count == height }

    /// - Precondition: The strip is not full, and `row` has `rowLength` bytes.
    mutating func append(_ row: UnsafeRawBufferPointer) {
        let start = count * rowLength
        bytes.withUnsafeMutableBytes { $0[start...].copyBytes(from: row) }
        count += 1
    }

    mutating func empty() {
        gone += count
        count = 0
    }

    /// The pixels of these columns in all rows of the strip.
    func pixels(_ columns: Range<Int>) -> [UInt8] {
        let length = columns.count * bands
        return [UInt8](unsafeUninitializedCapacity: length * count) { buffer, filled in
            bytes.withUnsafeBytes { source in
                for row in 0..<count {
                    let start = row * rowLength + columns.lowerBound * bands
                    UnsafeMutableRawBufferPointer(buffer)[(row * length)..<((row + 1) * length)]
                        .copyBytes(from: source[start..<start + length])
                }
            }
            filled = length * count
        }
    }

    private var hasAlpha: Bool { bands == 2 || bands == 4 }

    /// Whether all these pixels are opaque.
    func isOpaque(_ pixels: [UInt8]) -> Bool {
        !hasAlpha || stride(from: bands - 1, to: pixels.count, by: bands).allSatisfy { pixels[$0] == 255 }
    }

    /// Appends a row in which each pixel is the mean of two by two pixels of a finer strip; at an odd edge a pixel is
    /// paired with itself. Transparent pixels contribute no colour to the mean.
    ///
    /// - Precondition: The strip is not full, and is half as wide as the finer one, rounded up.
    mutating func append(halving finer: PyramidStrip, rowsFrom first: Int) {
        let second = min(first + 1, finer.count - 1)
        let (start, width, bands, hasAlpha) = (count * rowLength, width, bands, hasAlpha)
        bytes.withUnsafeMutableBufferPointer { result in
            finer.bytes.withUnsafeBufferPointer { source in
                let (upper, lower) = (first * finer.rowLength, second * finer.rowLength)
                for pixel in 0..<width {
                    let left = 2 * pixel * bands
                    let right = 2 * pixel + 1 < finer.width ? left + bands : left
                    guard !hasAlpha else {
                        let pixels = [upper + left, upper + right, lower + left, lower + right]
                        Self.blend(source, pixels, bands: bands, into: result, at: start + pixel * bands)
                        continue
                    }
                    for band in 0..<bands {
                        let sum =
                            UInt(source[upper + left + band]) + UInt(source[upper + right + band])
                            + UInt(source[lower + left + band]) + UInt(source[lower + right + band])
                        result[start + pixel * bands + band] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
                    }
                }
            }
        }
        count += 1
    }

    /// The mean of pixels with trailing alpha.
    private static func blend(
        _ source: UnsafeBufferPointer<UInt8>, _ pixels: [Int], bands: Int,
        into result: UnsafeMutableBufferPointer<UInt8>, at place: Int
    ) {
        let weight = pixels.reduce(0) { $0 + UInt(source[$1 + bands - 1]) }
        for band in 0..<bands - 1 {
            let sum = pixels.reduce(0) { $0 + UInt(source[$1 + band]) * UInt(source[$1 + bands - 1]) }
            result[place + band] = UInt8(truncatingIfNeeded: (sum + weight / 2) / max(1, weight))
        }
        result[place + bands - 1] = UInt8(truncatingIfNeeded: (weight + 2) / 4)
    }
}
