import FileHeads

/// A file being searched for metadata, and the edits collected so far.
struct RedactedFile<Bytes: RandomAccessBytes> {
    let bytes: Bytes
    /// In bytes.
    let length: Int64
    private(set) var edits: [FileEdits.Edit] = []

    /// More than any camera or program causes: an extended XMP of 64 MB has a thousand segments.
    private static var maximumEdits: Int { 10_000 }
    /// The most bytes of all replacements, without the zeros after them.
    private static var maximumBytes: Int { 4 << 20 }
    private var replacementBytes = 0
    /// The fewest and the most bytes that a search reads at once. A JPEG may consist of millions of scans of a few bytes.
    private static var windowLengths: ClosedRange<Int64> { 256...64 << 10 }

    init(_ bytes: Bytes, length: Int64) {
        self.bytes = bytes
        self.length = length
    }

    /// Bytes that the file has.
    ///
    /// - Throws: ``RedactionError/malformed`` if it does not have them, ``RedactionError/unreadable``.
    func read(_ position: Int64, _ count: Int) throws(RedactionError) -> ArraySlice<UInt8> {
        guard position >= 0, Int64(count) <= length - position else { throw .malformed }
        guard let slice = bytes.slice(at: position, count: count) else { throw .unreadable }
        return slice
    }

    func byte(at position: Int64) throws(RedactionError) -> UInt8 {
        let slice = try read(position, 1)
        return slice[slice.startIndex]
    }

    /// The position of the first byte for which the condition holds; the file's length if there is none.
    func first(
        from start: Int64, where condition: (_ previous: UInt8, _ byte: UInt8) -> Bool
    ) throws(RedactionError) -> Int64 {
        var (position, previous) = (start, UInt8(0))
        var windowLength = Self.windowLengths.lowerBound
        while position < length {
            let window = try read(position, Int(min(windowLength, length - position)))
            let found = window.withUnsafeBufferPointer { buffer -> Int? in
                for index in buffer.indices {
                    if condition(previous, buffer[index]) { return index }
                    previous = buffer[index]
                }
                return nil
            }
            if let found { return position + Int64(found) }
            position += Int64(window.count)
            windowLength = min(2 * windowLength, Self.windowLengths.upperBound)
        }
        return length
    }

    // MARK: - Edits

    /// Overwrites a part with zeros; as far as the file reaches.
    mutating func clear(_ range: Range<Int64>) throws(RedactionError) {
        try replace(range, with: [])
    }

    /// Overwrites a part with these bytes and then zeros; as far as the file reaches.
    mutating func replace(_ range: Range<Int64>, with bytes: [UInt8]) throws(RedactionError) {
        let range = range.clamped(to: 0..<length)
        guard !range.isEmpty else { return }
        replacementBytes += bytes.count
        guard edits.count < Self.maximumEdits, replacementBytes <= Self.maximumBytes else { throw .tooComplex }
        edits.append(FileEdits.Edit(range: range, bytes: bytes))
    }
}
