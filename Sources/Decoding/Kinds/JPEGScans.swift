import FileHeads

/// Counts the scans of a progressive JPEG (ITU-T T.81, B.1.1.2). With each scan the decoder goes over the whole image
/// again, so a small file with a thousand scans would keep it busy for minutes.
enum JPEGScans {
    /// The number of "start of scan" markers, at most `limit` + 1. Markers in a thumbnail count too, which does no
    /// harm.
    static func count(in reader: SourceReader, upTo limit: Int) -> Int {
        _ = reader.seek(to: 0, whence: 0)
        var scans = 0
        var wasMarker = false
        while scans <= limit {
            let chunk = reader.chunk(upTo: 64 << 10)
            if chunk.isEmpty { break }
            for byte in chunk {
                // Inside a scan's data, FF is always followed by 00 or a restart marker.
                if wasMarker, byte == 0xda { scans += 1 }
                wasMarker = byte == 0xff
            }
        }
        return min(scans, limit + 1)
    }

    /// Whether the scans that have begun bring every coefficient of every component to its last bit (G.1.1.1). A file that
    /// ends between two scans shows the whole image, but coarser than it was.
    static func areComplete(in reader: SourceReader) -> Bool {
        // The coefficients that are missing, by the number of their component.
        var missing: [UInt8: UInt64] = [:]
        var position: Int64 = 2
        while let start = reader.slice(at: position, count: 4).map(Array.init), start[0] == 0xff {
            let (marker, length) = (start[1], Int(start[2]) << 8 | Int(start[3]))
            guard marker != 0xff else {
                position += 1
                continue
            }
            guard length >= 2, let content = reader.slice(at: position + 4, count: length - 2).map(Array.init) else {
                break
            }
            let segment = JPEGSegment(marker: marker, position: position + 4, count: length - 2)
            position += 2 + Int64(length)
            if segment.isFrame, content.count >= 6 {
                for first in stride(from: 6, to: content.count, by: 3) { missing[content[first]] = .max }
            } else if marker == 0xda, let count = content.first.map({ Int($0) }), content.count >= 4 + 2 * count {
                let last = 1 + 2 * count
                let (from, to, bits) = (Int(content[last]), Int(content[last + 1]), content[last + 2])
                guard from <= to, to < 64 else { break }
                let band = (UInt64.max >> (63 - UInt64(to - from))) << UInt64(from)
                if bits & 15 == 0 { for index in 0..<count { missing[content[1 + 2 * index], default: 0] &= ~band } }
                position = endOfData(from: position, in: reader)
            }
        }
        return !missing.isEmpty && missing.values.allSatisfy { $0 == 0 }
    }

    /// The position of the marker after a scan's data; that of the end if there is none.
    private static func endOfData(from start: Int64, in reader: SourceReader) -> Int64 {
        guard reader.seek(to: start, whence: 0) == start else { return reader.length }
        var position = start
        var wasMarker = false
        while true {
            let chunk = reader.chunk(upTo: 64 << 10)
            if chunk.isEmpty { return reader.length }
            for byte in chunk {
                // Inside the data, FF is followed by 00 or a restart marker.
                if wasMarker, byte != 0, byte != 0xff, !(0xd0...0xd7).contains(byte) { return position - 1 }
                wasMarker = byte == 0xff
                position += 1
            }
        }
    }
}
