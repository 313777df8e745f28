import FileHeads

extension RedactedFile {
    /// The extensions by applications that say how the picture looks, and the most bytes that each has: loops, and the colour
    /// profile.
    private static var visualApplications: [[UInt8]: Int64] {
        [Array("NETSCAPE2.0".utf8): 24, Array("ANIMEXTS1.0".utf8): 24, Array("ICCRGBG1012".utf8): 4 << 20]
    }

    /// Keeps the images and how long each is shown; overwrites comments, texts, and other extensions (GIF89a, §17 to §27).
    mutating func redactGIF() throws(RedactionError) {
        let head = try read(0, 13)
        guard head.starts(with: Array("GIF8".utf8)) else { throw .malformed }
        var position = 13 + Self.tableLength(head[head.startIndex + 10])
        while position < length {
            switch try byte(at: position) {
            case 0x2c where length - position >= 11:
                position += 11 + Self.tableLength(try byte(at: position + 9))
                position = try endOfBlocks(from: position)
            case 0x21 where length - position >= 3:
                let end = try endOfBlocks(from: position + 2)
                if try !isVisualExtension(position..<end) { try replaceExtension(position..<end) }
                position = end
            // The trailer, or something that no format defines.
            case 0x3b: return try clear(position + 1..<length)
            default: return try clear(position..<length)
            }
        }
    }

    /// The length of a colour table, in bytes.
    private static func tableLength(_ flags: UInt8) -> Int64 { flags & 0x80 == 0 ? 0 : 3 << (Int64(flags & 7) + 1) }

    /// The end of a sequence of sub-blocks, each with its length before it; an empty one is the last.
    private func endOfBlocks(from start: Int64) throws(RedactionError) -> Int64 {
        var position = start
        while position < length {
            let count = try byte(at: position)
            position += 1 + Int64(count)
            if count == 0 { return position }
        }
        return length
    }

    private func isVisualExtension(_ range: Range<Int64>) throws(RedactionError) -> Bool {
        switch try byte(at: range.lowerBound + 1) {
        // Graphic control: four bytes.
        case 0xf9: return range.count == 8
        case 0xff:
            guard range.count >= 14 else { return false }
            let block = try read(range.lowerBound + 2, 12)
            guard block.first == 11, let longest = Self.visualApplications[Array(block.dropFirst())] else {
                return false
            }
            return Int64(range.count) <= longest
        default: return false
        }
    }

    /// Puts a comment of zeros in the place of an extension.
    private mutating func replaceExtension(_ range: Range<Int64>) throws(RedactionError) {
        var bytes: [UInt8] = [0x21, 0xfe]
        // Without the terminator.
        var left = range.count - 3
        guard left <= 16 << 20 else { throw .tooComplex }
        while left > 1 {
            // Two bytes are the shortest sub-block.
            let count = left == 257 ? 254 : min(255, left - 1)
            bytes.append(UInt8(count))
            bytes += repeatElement(0, count: count)
            left -= 1 + count
        }
        try replace(range, with: bytes)
    }
}
