import FileHeads

extension Repair {
    /// Rewrites the checksums of a PNG's chunks of pixels that are wrong, gives the last of them the length that it has,
    /// and adds the chunk that ends an image (PNG third edition, §5.3 and §11.2.4). Nil if nothing of that is needed.
    init?(ofPNG reader: SourceReader) {
        // With hidden chunks, positions in the file and those that the reader takes would differ.
        guard reader.length == reader.fileLength else { return nil }
        self.init()
        var position: Int64 = 8
        while let header = reader.slice(at: position, count: 8), let length = header.first(4) {
            let name = header.dropFirst(4)
            let (start, end) = (position + 8, position + 12 + length)
            guard !name.elementsEqual("IEND".utf8) else { break }
            if name.elementsEqual("IDAT".utf8) {
                guard replacements.count < Self.maximumReplacements else { return nil }
                take(start..<min(end - 4, reader.fileLength), isWhole: end <= reader.fileLength, of: reader)
            }
            position = end
        }
        let left = Int(reader.fileLength - position)
        if left < Self.end.count {
            // Some bytes of the last chunk may be there.
            for index in 0..<max(0, left) { replacements[position + Int64(index)] = Self.end[index] }
            appended += Self.end.dropFirst(max(0, left))
        }
        guard !replacements.isEmpty || !appended.isEmpty else { return nil }
        isTolerant = !appended.isEmpty
    }

    /// A file with more wrong bytes is not worth its memory, nor the time to look through them at each read.
    private static let maximumReplacements = 16_384

    /// The chunk IEND.
    private static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82]

    /// A chunk of pixels with this content.
    private mutating func take(_ content: Range<Int64>, isWhole: Bool, of reader: SourceReader) {
        var checksum = CRC32()
        checksum.update("IDAT".utf8)
        var position = content.lowerBound
        while position < content.upperBound {
            let count = min(Int(content.upperBound - position), 64 << 10)
            guard let bytes = reader.slice(at: position, count: count) else { return }
            checksum.update(bytes)
            position += Int64(count)
        }
        let right = Self.bytes(checksum.value)
        if isWhole {
            guard let stored = reader.slice(at: content.upperBound, count: 4), !stored.elementsEqual(right) else {
                return
            }
            replace(at: content.upperBound, right)
        } else {
            replace(at: content.lowerBound - 8, Self.bytes(UInt32(truncatingIfNeeded: content.count)))
            // Some bytes of the checksum may be there.
            let there = min(4, Int(reader.fileLength - content.upperBound))
            replace(at: content.upperBound, right.prefix(there))
            appended = Array(right.dropFirst(there))
        }
    }

    private mutating func replace(at position: Int64, _ bytes: some Sequence<UInt8>) {
        for (offset, byte) in bytes.enumerated() { replacements[position + Int64(offset)] = byte }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
