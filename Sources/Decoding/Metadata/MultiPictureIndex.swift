import FileHeads

/// The positions of smaller versions of an image that cameras of many makers append to a JPEG (Multi-Picture Format,
/// CIPA DC-007).
struct MultiPictureIndex {
    /// The range of each embedded JPEG in the file. Whether there is one must be checked.
    let thumbnails: [Range<Int64>]

    private static let name = Array("MPF\0".utf8)
    private static let entryLength = 16
    private static let entries: UInt16 = 0xb002
    /// More entries than real images have: two or three.
    private static let maximumEntries = 16

    /// Nil if there is no index.
    init?(_ reader: SourceReader) {
        guard let segments = JPEGSegments(reader) else { return nil }
        for segment in segments {
            if segment.isFrame { return nil }
            guard segment.marker == 0xe2, let content = segment.content(in: reader), content.starts(with: Self.name)
            else { continue }
            let header = segment.position + Int64(Self.name.count)
            guard let directories = TIFFDirectories(Array(content.dropFirst(Self.name.count))),
                let first = directories.first, let entries = directories.bytes(Self.entries, in: first)
            else { return nil }
            thumbnails = Self.thumbnails(directories.words(in: entries.prefix(Self.maximumEntries * Self.entryLength)))
                .compactMap { offset, count in
                    let start = header + Int64(offset)
                    let end = start + Int64(count)
                    return end <= reader.length ? start..<end : nil
                }
            return
        }
        return nil
    }

    /// The entries declared as a JPEG "large thumbnail": offsets from the index's own header, and lengths in bytes.
    /// Each entry has four words: attributes, length, offset, and numbers of dependent images.
    private static func thumbnails(_ words: [UInt32]) -> [(offset: UInt32, count: UInt32)] {
        stride(from: 0, to: words.count / 4 * 4, by: 4).compactMap { at in
            let (format, type) = (words[at] >> 24 & 7, words[at] & 0xff_ffff)
            guard format == 0, type >> 16 == 1, words[at + 1] > 0, words[at + 2] > 0 else { return nil }
            return (words[at + 2], words[at + 1])
        }
    }
}
