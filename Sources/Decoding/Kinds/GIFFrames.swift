/// Counts the frames of a GIF (GIF89a, appendix A) by walking over its blocks, without keeping any of them. libvips keeps
/// something for each frame before it says how many there are, which a file of a million tiny frames turns into gigabytes.
struct GIFFrames {
    private let reader: SourceReader
    private var buffer: [UInt8] = []
    private var next = 0

    /// The number of frames, or `limit` + 1 where there are more. What breaks the format ends the count.
    static func count(in reader: SourceReader, upTo limit: Int) -> Int {
        var frames = GIFFrames(reader: reader)
        _ = reader.seek(to: 0, whence: 0)
        return frames.walk(limit)
    }

    private init(reader: SourceReader) {
        self.reader = reader
    }

    private mutating func walk(_ limit: Int) -> Int {
        var frames = 0
        guard skip(10), let flags = byte(), skip(2), skipColours(flags) else { return 0 }
        while let introducer = byte() {
            switch introducer {
            case 0x21:
                guard skip(1), skipBlocks() else { return frames }
            case 0x2c:
                frames += 1
                guard frames <= limit, skip(8), let flags = byte(), skipColours(flags), skip(1), skipBlocks() else {
                    return frames
                }
            default: return frames
            }
        }
        return frames
    }

    /// A colour table follows if the highest bit is set.
    private mutating func skipColours(_ flags: UInt8) -> Bool {
        flags & 0x80 == 0 || skip(3 << (Int(flags & 7) + 1))
    }

    private mutating func skipBlocks() -> Bool {
        while let length = byte() {
            if length == 0 { return true }
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
