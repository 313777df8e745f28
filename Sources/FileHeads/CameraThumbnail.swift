/// The thumbnail that a camera put into its JPEG, as a file of its own that a browser displays upright. Finding it takes
/// the first bytes of the file and no decoder, so the server can do it itself.
///
/// The thumbnail itself is not decoded here. Its scan may be damaged, so it suits only a display that is soon replaced.
package struct CameraThumbnail: Equatable, Sendable {
    /// The JPEG, without anything that its decoding does not need.
    package let file: [UInt8]
    /// The width of the upright thumbnail in pixels.
    package let width: Int
    /// The height of the upright thumbnail in pixels.
    package let height: Int

    /// How many bytes of a file to read: Exif takes at most 64 KB (CIPA DC-008, 4.7.2: one APP1 segment), and nearly
    /// always leaves room for the header of the image itself.
    package static let headLength = 64 << 10

    /// In pixels. Larger ones are not thumbnails.
    private static let longestSide = 1_024

    /// Nil unless there is a thumbnail that can be trusted to show the whole image: programs that crop an image often
    /// leave the old thumbnail behind, and some cameras add black bars to theirs.
    ///
    /// - Parameters:
    ///   - head: The first bytes of a file.
    ///   - side: The least length of the longer side in pixels, unless the image itself is smaller.
    ///   - bytes: The most bytes of the thumbnail.
    package init?(head: [UInt8], atLeast side: Int, atMost bytes: Int) {
        guard let segments = JPEGSegments(head[...]) else { return nil }
        var found: (thumbnail: ArraySlice<UInt8>, orientation: Int)?
        for segment in segments {
            if segment.isFrame {
                guard let found, found.thumbnail.count <= bytes, let image = JPEGFrame(segment, in: head[...]),
                    let thumbnail = PlainJPEG(found.thumbnail),
                    max(thumbnail.frame.width, thumbnail.frame.height) >= min(side, max(image.width, image.height)),
                    max(thumbnail.frame.width, thumbnail.frame.height) <= Self.longestSide,
                    Self.shows(
                        (image.width, image.height), whole: (thumbnail.frame.width, thumbnail.frame.height))
                else { return nil }
                let isSideways = found.orientation >= 5
                width = isSideways ? thumbnail.frame.height : thumbnail.frame.width
                height = isSideways ? thumbnail.frame.width : thumbnail.frame.height
                file = thumbnail.file(orientation: found.orientation)
                return
            }
            guard found == nil, segment.marker == 0xe1, let content = segment.content(in: head[...]),
                content.starts(with: JPEGSegment.exif)
            else { continue }
            guard let directories = TIFFDirectories(Array(content)), let main = directories.first,
                let thumbnail = directories.thumbnail(after: main)
            else { return nil }
            found = (thumbnail, directories.orientation(in: main) ?? 1)
        }
        return nil
    }

    /// Whether a thumbnail of this size has the aspect ratio of an image, both as stored.
    package static func shows(_ image: (width: Int, height: Int), whole thumbnail: (width: Int, height: Int)) -> Bool {
        let fittingHeight = Double(thumbnail.width) * Double(image.height) / Double(image.width)
        let fittingWidth = Double(thumbnail.height) * Double(image.width) / Double(image.height)
        // Half a pixel for rounding, plus one more pixel because cameras round to JPEG blocks.
        return abs(fittingHeight - Double(thumbnail.height)) <= 1.5
            || abs(fittingWidth - Double(thumbnail.width)) <= 1.5
    }
}

/// A JPEG as cameras write thumbnails: one sequential scan, grey or in three colours.
private struct PlainJPEG {
    let frame: JPEGFrame
    private let tables: [ArraySlice<UInt8>]
    /// From the scan's marker to the end of the image.
    private let scan: ArraySlice<UInt8>

    init?(_ bytes: ArraySlice<UInt8>) {
        guard var segments = JPEGSegments(bytes) else { return nil }
        var frame: JPEGFrame?
        var tables: [ArraySlice<UInt8>] = []
        var kinds: Set<UInt8> = []
        while let segment = segments.next() {
            guard segment.content(in: bytes) != nil else { return nil }
            switch segment.marker {
            case 0xc0, 0xc1:
                guard frame == nil, let header = JPEGFrame(segment, in: bytes), header.precision == 8,
                    [1, 3].contains(header.components)
                else { return nil }
                frame = header
            // Tables, the restart interval, and what JFIF and Adobe say about the colours.
            case 0xc4, 0xdb, 0xdd, 0xe0, 0xee: break
            case _ where segment.isFrame: return nil
            default: continue
            }
            guard let whole = bytes.slice(at: segment.position - 4, count: segment.count + 4) else { return nil }
            tables.append(whole)
            kinds.insert(segment.marker)
        }
        let rest = bytes.dropFirst(Int(clamping: segments.position))
        // Quantization and Huffman tables, and all components in one scan (B.2.3).
        guard let frame, kinds.isSuperset(of: [0xdb, 0xc4]),
            rest.starts(with: [0xff, 0xda, 0, UInt8(6 + 2 * frame.components), UInt8(frame.components)]),
            let end = Self.end(of: rest)
        else { return nil }
        self.frame = frame
        self.tables = tables
        scan = rest[..<end]
    }

    /// Where the image ends; cameras pad their thumbnails. Nil if another scan follows, or the end is missing.
    private static func end(of scan: ArraySlice<UInt8>) -> Int? {
        var position = scan.startIndex + 2
        while position + 1 < scan.endIndex {
            if scan[position] == 0xff {
                if scan[position + 1] == 0xd9 { return position + 2 }
                if scan[position + 1] == 0xda { return nil }
            }
            position += 1
        }
        return nil
    }

    /// The JPEG without comments and metadata, but with the orientation of the image that it belongs to.
    func file(orientation: Int) -> [UInt8] {
        var file: [UInt8] = [0xff, 0xd8]
        file.reserveCapacity(2 + 36 + tables.reduce(scan.count) { $0 + $1.count })
        if orientation > 1 {
            // An Exif block with one entry (TIFF 6.0, section 2): the orientation, as a short.
            file += [0xff, 0xe1, 0, 34] + Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1]
            file += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        }
        for table in tables { file += table }
        return file + scan
    }
}
