import FileHeads

extension RedactedFile {
    /// The markers whose segments a decoder needs: tables, frames, scans and their parameters (ITU-T T.81, table B.1).
    private static var decodingMarkers: [ClosedRange<UInt8>] { [0xc0...0xcf, 0xda...0xdf] }

    /// Keeps what decoding needs, colour profiles, and allowed tags of Exif. Further images after the first one, such as
    /// previews, gain maps, and videos, are overwritten, because each may have metadata of its own.
    mutating func redactJPEG(keeping: Redactor.Keeping) throws(RedactionError) {
        guard length >= 4, try read(0, 3).elementsEqual(JPEGSegment.signature) else { throw .malformed }
        var position: Int64 = 2
        while position < length - 1 {
            let start = try read(position, 2)
            guard start.first == 0xff else {
                // Decoders skip bytes that are not a marker.
                let next = try first(from: position) { _, byte in byte == 0xff }
                try clear(position..<next)
                position = next
                continue
            }
            switch start[start.startIndex + 1] {
            case 0xff: position += 1
            case 0xd9: return try clear(position + 2..<length)
            // Markers without a segment.
            case 0x00, 0x01, 0xd0...0xd8: position += 2
            case let marker: position = try redactSegment(marker, at: position, keeping)
            }
        }
        // Half a marker.
        if position < length { try clear(position..<length) }
    }

    /// - Returns: The position of the next marker.
    private mutating func redactSegment(
        _ marker: UInt8, at position: Int64, _ keeping: Redactor.Keeping
    ) throws(RedactionError) -> Int64 {
        let start = position + 4
        let count = start <= length ? JPEGSegment.number(try read(position + 2, 2)) - 2 : -1
        guard count >= 0, start + Int64(count) <= length else {
            // The file ends here. What there is of a truncated picture is in its scan, which comes later.
            try clear(position + 2..<length)
            return length
        }
        let content = start..<start + Int64(count)
        if Self.decodingMarkers.contains(where: { $0.contains(marker) }) {
            // A scan extends to the next marker that is neither a stuffed byte nor a restart (B.1.1.5, B.2.1).
            guard marker == 0xda else { return content.upperBound }
            let next = try first(from: content.upperBound) { previous, byte in
                previous == 0xff && byte != 0 && byte != 0xff && !(0xd0...0xd7).contains(byte)
            }
            return next < length ? next - 1 : length
        }
        try redactApplicationData(marker, content, try read(start, count), keeping)
        return content.upperBound
    }

    private mutating func redactApplicationData(
        _ marker: UInt8, _ range: Range<Int64>, _ content: ArraySlice<UInt8>, _ keeping: Redactor.Keeping
    ) throws(RedactionError) {
        switch marker {
        case 0xe1 where content.starts(with: JPEGSegment.exif):
            try replace(range, with: RedactedExif.replacement(for: content, keeping: keeping))
        // JFIF, without its thumbnail: version, and density.
        case 0xe0 where content.starts(with: Array("JFIF\0".utf8)): try replace(range, with: Array(content.prefix(12)))
        case 0xe2 where content.starts(with: Array("ICC_PROFILE\0".utf8)): break
        // Adobe's colour transform flag.
        case 0xee where content.starts(with: Array("Adobe".utf8)): try replace(range, with: Array(content.prefix(12)))
        default: try clear(range)
        }
    }
}
