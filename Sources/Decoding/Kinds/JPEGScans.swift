/// Counts the scans of a progressive JPEG (ITU-T T.81, B.1.1.2). Each scan makes the decoder go over the whole picture
/// again, so that a small file of a thousand scans would keep it busy for minutes.
enum JPEGScans {
    /// The number of "start of scan" markers, at most `limit` + 1. A marker in a thumbnail counts too, which is harmless.
    static func count(in reader: SourceReader, upTo limit: Int) -> Int {
        _ = reader.seek(to: 0, whence: 0)
        var scans = 0
        var wasMarker = false
        while scans <= limit {
            let chunk = reader.chunk(upTo: 64 << 10)
            if chunk.isEmpty { break }
            for byte in chunk {
                // Within a scan's data an FF is always followed by 00 or by a marker that restarts it.
                if wasMarker, byte == 0xda { scans += 1 }
                wasMarker = byte == 0xff
            }
        }
        return min(scans, limit + 1)
    }
}
