/// The frames of a GIF (GIF89a, appendix A), found by skipping from block to block. libvips allocates memory for each
/// frame before it reports their number, so a file of a million tiny frames would take gigabytes.
struct GIFFrames {
    /// The number of frames, or one more than the limit if there are more. Counting stops at malformed data.
    private(set) var count = 0
    /// The width and height of the canvas, in pixels.
    private var canvas = (width: 0, height: 0)
    /// The part of the canvas that the first frame covers.
    private var first: PixelRectangle?
    /// Whether the file ends within a frame or another block.
    private(set) var isCut = false
    /// Whether the file has some of the pixels of the first frame.
    private(set) var hasPixels = false

    /// The part of the canvas that the first frame covers; nil if that is all of it.
    var firstPart: PixelRectangle? {
        first.flatMap { $0.intersection(width: canvas.width, height: canvas.height) }.flatMap {
            $0.width < canvas.width || $0.height < canvas.height ? $0 : nil
        }
    }

    private let reader: SourceReader
    private var buffer: [UInt8] = []
    private var next = 0

    static func count(in reader: SourceReader, upTo limit: Int) -> Int { GIFFrames(in: reader, upTo: limit).count }

    init(in reader: SourceReader, upTo limit: Int) {
        self.reader = reader
        _ = reader.seek(to: 0, whence: 0)
        isCut = !walk(limit)
    }

    /// False if the file ends within a block.
    private mutating func walk(_ limit: Int) -> Bool {
        guard skip(6), let width = number(), let height = number(), let flags = byte(), skip(2), skipColours(flags)
        else { return false }
        canvas = (width, height)
        while let introducer = byte() {
            switch introducer {
            case 0x21:
                guard skip(1), skipBlocks() else { return false }
            case 0x2c:
                count += 1
                guard count <= limit else { return true }
                guard let frame = rectangle(), let flags = byte(), skipColours(flags), skip(1) else { return false }
                if count == 1 { first = frame }
                guard skipBlocks(ofPixels: true) else { return false }
            default: return true
            }
        }
        // Nothing is missing but the trailer.
        return count > 0
    }

    private mutating func rectangle() -> PixelRectangle? {
        guard let left = number(), let top = number(), let width = number(), let height = number() else { return nil }
        return PixelRectangle(left: left, top: top, width: width, height: height)
    }

    /// A colour table follows if the highest bit is set.
    private mutating func skipColours(_ flags: UInt8) -> Bool {
        flags & 0x80 == 0 || skip(3 << (Int(flags & 7) + 1))
    }

    private mutating func skipBlocks(ofPixels isFrame: Bool = false) -> Bool {
        while let length = byte() {
            if length == 0 { return true }
            if isFrame { hasPixels = hasPixels || next < buffer.count || fill() }
            guard skip(Int(length)) else { return false }
        }
        return false
    }

    private mutating func skip(_ count: Int) -> Bool {
        var left = count
        while left > buffer.count - next {
            left -= buffer.count - next
            guard fill() else { return false }
        }
        next += left
        return true
    }

    /// A number of two bytes.
    private mutating func number() -> Int? {
        guard let low = byte(), let high = byte() else { return nil }
        return Int(high) << 8 | Int(low)
    }

    private mutating func byte() -> UInt8? {
        guard next < buffer.count || fill() else { return nil }
        defer { next += 1 }
        return buffer[next]
    }

    private mutating func fill() -> Bool {
        next = 0
        buffer = reader.chunk(upTo: 64 << 10)
        return !buffer.isEmpty
    }
}
