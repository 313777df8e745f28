import FileHeads

extension RedactedFile {
    /// The chunks that say how the picture looks (PNG third edition, §11).
    private static var visualChunks: Set<[UInt8]> {
        Set(
            [
                "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "mDCv",
                "cLLI", "cLLi", "bKGD", "hIST", "pHYs", "acTL", "fcTL", "fdAT",
            ].map { Array($0.utf8) })
    }
    /// The chunks with pixels, which decoders use even if the file ends in one.
    private static var pixelChunks: Set<[UInt8]> { Set(["IDAT", "fdAT"].map { Array($0.utf8) }) }
    /// The name of a chunk that every program skips (§5.4): ancillary, private, and safe to copy.
    private static var emptyName: [UInt8] { Array("zeRo".utf8) }
    /// The longest chunk to overwrite, in bytes. The checksum is of all its bytes.
    private static var longestChunk: Int64 { 64 << 20 }

    /// Keeps visual chunks, and allowed tags of Exif.
    mutating func redactPNG(keeping: Redactor.Keeping) throws(RedactionError) {
        guard length >= 8, try read(0, 8).elementsEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else {
            throw .malformed
        }
        let visual = Self.visualChunks
        var position: Int64 = 8
        while position < length {
            guard length - position >= 12, let count = try read(position, 4).first(4), count <= length - position - 12
            else { return try redactLastChunk(at: position) }
            let name = Array(try read(position + 4, 4))
            // Decoders stop at anything but a name of letters (§5.3).
            guard name.allSatisfy({ (0x41...0x5a).contains($0 & ~0x20) }) else { break }
            let end = position + 12 + count
            if name == Array("eXIf".utf8) {
                guard count <= Int64(RedactedExif.longest) else { throw .tooComplex }
                let exif = RedactedExif.replacement(for: try read(position + 8, Int(count)), keeping: keeping)
                try replaceChunk(position..<end, with: exif.isEmpty ? Self.emptyName : name, exif)
            } else if !visual.contains(name) {
                try replaceChunk(position..<end, with: Self.emptyName, [])
            }
            position = end
            if name == Array("IEND".utf8) { break }
        }
        try clear(position..<length)
    }

    /// Keeps a truncated last chunk only if it contains pixels.
    private mutating func redactLastChunk(at position: Int64) throws(RedactionError) {
        guard length - position >= 8, Self.pixelChunks.contains(Array(try read(position + 4, 4))) else {
            return try clear(position..<length)
        }
    }

    private mutating func replaceChunk(
        _ range: Range<Int64>, with name: [UInt8], _ content: [UInt8]
    ) throws(RedactionError) {
        let count = range.count - 12
        guard count <= Self.longestChunk else { throw .tooComplex }
        var checksum = CRC32()
        checksum.update(name)
        checksum.update(content)
        checksum.update(repeatElement(0, count: count - content.count))
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum.value >> (24 - 8 * $0)) }
        try replace(range.lowerBound + 4..<range.upperBound - 4, with: name + content)
        try replace(range.upperBound - 4..<range.upperBound, with: bytes)
    }
}
