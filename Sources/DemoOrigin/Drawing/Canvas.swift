/// A bitmap to draw on: rows from the top, with eight bits each of red, green and blue per pixel.
struct Canvas {
    let width: Int
    let height: Int
    private(set) var bytes: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 0, count: width * height * 3)
    }

    /// Calls `body` for each of the `rows`, from the top.
    mutating func drawRows(_ rows: Range<Int>, _ body: (_ row: Int, _ pixels: UnsafeMutablePointer<UInt8>) -> Void) {
        let rows = rows.clamped(to: 0..<height)
        let stride = width * 3
        bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for row in rows { body(row, base + row * stride) }
        }
    }

    mutating func fill(columns: Range<Int>, rows: Range<Int>, _ colour: Colour) {
        let paint = Paint(colour)
        let columns = columns.clamped(to: 0..<width)
        drawRows(rows) { _, pixels in
            for column in columns { paint.put(at: pixels + column * 3) }
        }
    }
}

/// A colour as bytes.
struct Paint {
    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    init(_ colour: Colour) {
        red = UInt8(min(max(colour.red, 0), 1) * 255 + 0.5)
        green = UInt8(min(max(colour.green, 0), 1) * 255 + 0.5)
        blue = UInt8(min(max(colour.blue, 0), 1) * 255 + 0.5)
    }

    @inline(__always)
    func put(at pixel: UnsafeMutablePointer<UInt8>) {
        pixel[0] = red
        pixel[1] = green
        pixel[2] = blue
    }

    /// - Parameter share: The opacity of this colour, 0 to 256.
    @inline(__always)
    func blend(at pixel: UnsafeMutablePointer<UInt8>, _ share: Int32) {
        func mix(_ below: UInt8, _ above: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int32(below) * (256 - share) + Int32(above) * share) >> 8)
        }
        pixel[0] = mix(pixel[0], red)
        pixel[1] = mix(pixel[1], green)
        pixel[2] = mix(pixel[2], blue)
    }
}
