/// The rows of one level that wait until there are enough for a row of tiles. Memory is held for these alone, however
/// high the picture is.
struct PyramidStrip {
    /// Pixels.
    let width: Int
    let bands: Int
    /// Rows of the whole level.
    let height: Int
    /// Rows that it holds at most: an even number, so that no pair is torn.
    let capacity: Int
    /// Rows that are here.
    private(set) var count = 0
    /// Rows of the level that went before.
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
    /// Nothing can be added before it is emptied.
    var isFull: Bool { count == capacity || gone + count == height }

    /// - Precondition: It is not full; `row` has `rowLength` bytes.
    mutating func append(_ row: UnsafeRawBufferPointer) {
        let start = count * rowLength
        bytes.withUnsafeMutableBytes { $0[start...].copyBytes(from: row) }
        count += 1
    }

    mutating func empty() {
        gone += count
        count = 0
    }

    /// The pixels of some columns, of all rows that are here.
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

    /// Whether nothing shows through these pixels.
    func isOpaque(_ pixels: [UInt8]) -> Bool {
        !hasAlpha || stride(from: bands - 1, to: pixels.count, by: bands).allSatisfy { pixels[$0] == 255 }
    }

    /// The mean of each two by two pixels of two rows of a finer strip; an edge that has no partner is its own.
    /// What is clear has no colour, and adds none to the mean.
    ///
    /// - Precondition: It is not full, and half as wide, rounded up.
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

    /// The mean of pixels with alpha after their colours.
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
