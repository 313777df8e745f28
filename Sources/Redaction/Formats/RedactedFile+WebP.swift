import FileHeads

extension RedactedFile {
    /// The chunks that say how the picture looks (RFC 9649, §2.7).
    private static var pixelChunks: Set<[UInt8]> { Set(["VP8 ", "VP8L", "ALPH"].map { Array($0.utf8) }) }
    private static var visualChunks: Set<[UInt8]> {
        pixelChunks.union(["VP8X", "ANIM", "ICCP"].map { Array($0.utf8) })
    }
    /// RIFF's name for filler chunks.
    private static var emptyName: [UInt8] { Array("JUNK".utf8) }

    /// Keeps visual chunks, and allowed tags of Exif.
    mutating func redactWebP(keeping: Redactor.Keeping) throws(RedactionError) {
        let head = try read(0, 12)
        guard head.starts(with: Array("RIFF".utf8)), head.suffix(4).elementsEqual("WEBP".utf8) else { throw .malformed }
        // The length of what follows it, which includes the name of the format.
        let end = min(8 + Self.number(head.dropFirst(4).prefix(4)), length)
        guard end >= 12 else { throw .malformed }
        try redactChunks(in: 12..<end, keeping: keeping)
        try clear(end..<length)
    }

    /// - Parameter isFrame: Whether they are the chunks of a frame, which contains no further frames.
    private mutating func redactChunks(
        in range: Range<Int64>, isFrame: Bool = false, keeping: Redactor.Keeping
    ) throws(RedactionError) {
        let visual = isFrame ? Self.pixelChunks : Self.visualChunks
        var position = range.lowerBound
        while position < range.upperBound {
            guard range.upperBound - position >= 8 else { return try clear(position..<range.upperBound) }
            let header = try read(position, 8)
            let name = Array(header.prefix(4))
            // The last chunk of a truncated file.
            let end = min(position + 8 + Self.number(header.suffix(4)), range.upperBound)
            let content = position + 8..<end
            if name == Array("ANMF".utf8), content.count >= 16, !isFrame {
                // A frame: its place and duration, and chunks.
                try redactChunks(in: content.dropFirst(16), isFrame: true, keeping: keeping)
            } else if name == Array("EXIF".utf8), content.count <= RedactedExif.longest {
                let exif = RedactedExif.replacement(for: try read(content.lowerBound, content.count), keeping: keeping)
                try replace(content, with: exif)
            } else if !visual.contains(name) {
                try replace(position..<position + 4, with: Self.emptyName)
                try clear(content)
            }
            // Chunks have an even length.
            position = end + Int64(content.count % 2)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
