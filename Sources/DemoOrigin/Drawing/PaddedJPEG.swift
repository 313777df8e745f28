/// Lengthens a JPEG file without changing its picture, by inserting comment segments (ITU-T T.81 §B.2.4.5) after its
/// first marker.
enum PaddedJPEG {
    /// An empty segment has four bytes: its marker and its length.
    private static let smallest = 4
    private static let largest = 65_537

    /// The file padded to exactly `count` bytes. Unchanged if it is that long already, or if the difference is too
    /// short for a segment.
    static func pad(_ file: [UInt8], to count: Int) -> [UInt8] {
        guard file.count >= 2, count - file.count >= smallest else { return file }
        var padded = Array(file[..<2])
        padded.reserveCapacity(count)
        var missing = count - file.count
        while missing > 0 {
            // The remainder must never be too short for a segment of its own.
            var length = min(missing, largest)
            if missing - length > 0, missing - length < smallest { length -= smallest }
            padded += [0xff, 0xfe, UInt8((length - 2) >> 8), UInt8((length - 2) & 255)]
            for position in smallest..<length { padded.append(UInt8(truncatingIfNeeded: position &* 131 &+ missing)) }
            missing -= length
        }
        return padded + file[2...]
    }
}
