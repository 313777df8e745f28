/// A WebP that ends before its container says (RFC 9649): as much as there is of its picture, or of the first frame of its
/// animation. libvips refuses such files.
struct CutWebP {
    /// The size of the canvas, in pixels.
    let width: Int
    let height: Int
    /// The part of the canvas that the picture covers.
    let covered: PixelRectangle
    /// The part of the file with the picture's data: chunks of alpha and colour, as far as they exist.
    let data: Range<Int64>
    /// Whether the data are chunks of a frame, which need a container of their own.
    let isFrame: Bool
    /// Whether pixels or frames are missing.
    let isIncomplete: Bool
    /// The number of frames that the file has, or has begun.
    let frames: Int

    /// The maximum number of chunks visited. Animations have one per frame.
    private static let maximumChunks = 20_000

    private struct Chunk {
        let name: ArraySlice<UInt8>
        let content: Range<Int64>
        /// The file ends before the chunk.
        let isCut: Bool

        func isNamed(_ text: String) -> Bool { name.elementsEqual(text.utf8) }
    }

    /// Nil if the file is whole, or has no pixels.
    init?(_ reader: SourceReader) {
        let head = reader.head
        let end = reader.length
        guard head.count >= 20, let size = Self.number(head[4..<8]), Int64(size) + 8 > end else { return nil }
        var canvas: (width: Int, height: Int)?
        var (frame, bitstream): (Chunk?, Chunk?)
        var (position, frames): (Int64, Int) = (12, 0)
        for _ in 0..<Self.maximumChunks {
            guard let chunk = Self.chunk(at: position, of: reader) else { break }
            if chunk.isNamed("VP8X"), let bytes = reader.slice(at: position + 8, count: 10) {
                let start = bytes.startIndex
                canvas = (Self.wide(bytes[(start + 4)...]) + 1, Self.wide(bytes[(start + 7)...]) + 1)
            } else if chunk.isNamed("ANMF") {
                frames += 1
                frame = frame ?? chunk
            } else if chunk.isNamed("VP8 ") || chunk.isNamed("VP8L") {
                bitstream = bitstream ?? chunk
            }
            position = chunk.content.upperBound + Int64(chunk.content.count % 2)
        }
        if let frame, let canvas, let bytes = reader.slice(at: frame.content.lowerBound, count: 16) {
            let numbers = [0, 3, 6, 9].map { Self.wide(bytes[(bytes.startIndex + $0)...]) }
            covered = PixelRectangle(
                left: 2 * numbers[0], top: 2 * numbers[1], width: numbers[2] + 1, height: numbers[3] + 1)
            (width, height) = canvas
            data = frame.content.dropFirst(16)
            (isFrame, isIncomplete, self.frames) = (true, true, frames)
        } else if let bitstream, let size = canvas ?? Self.size(of: bitstream, in: reader) {
            (width, height) = size
            covered = PixelRectangle(left: 0, top: 0, width: width, height: height)
            data = 0..<end
            (isFrame, isIncomplete, self.frames) = (false, bitstream.isCut, 1)
        } else {
            return nil
        }
        guard covered.intersection(width: width, height: height) == covered, !data.isEmpty else { return nil }
    }

    /// A chunk of which at least the name and the length exist.
    private static func chunk(at position: Int64, of reader: SourceReader) -> Chunk? {
        guard let header = reader.slice(at: position, count: 8), let length = number(header.dropFirst(4)) else {
            return nil
        }
        let (start, end) = (position + 8, min(position + 8 + Int64(length), reader.length))
        return Chunk(name: header.prefix(4), content: start..<end, isCut: end - start < Int64(length))
    }

    /// The size that the bitstream states (RFC 6386, 9.1, and RFC 9649, 3.4).
    private static func size(of chunk: Chunk, in reader: SourceReader) -> (width: Int, height: Int)? {
        guard let bytes = reader.slice(at: chunk.content.lowerBound, count: 10).map(Array.init) else { return nil }
        if chunk.isNamed("VP8L") {
            let bits = bytes[1..<5].reversed().reduce(0) { $0 << 8 | Int($1) }
            return (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1)
        }
        guard bytes[3..<6].elementsEqual([0x9d, 0x01, 0x2a]) else { return nil }
        let width = (Int(bytes[7]) << 8 | Int(bytes[6])) & 0x3fff
        let height = (Int(bytes[9]) << 8 | Int(bytes[8])) & 0x3fff
        return width > 0 && height > 0 ? (width, height) : nil
    }

    /// A number of four bytes.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        bytes.count >= 4 ? bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } : nil
    }

    /// A number of three bytes.
    private static func wide(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
