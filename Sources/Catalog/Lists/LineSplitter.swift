/// Splits bytes, in pieces of any size, into lines. LF or CRLF ends a line, and a UTF-8 byte order mark at the very
/// beginning is dropped. For a line that is too long, only the number is reported.
struct LineSplitter {
    struct Line: Hashable {
        /// Counted from 1.
        let number: Int
        /// Without the line end; nil if the line is longer than the limit.
        let bytes: [UInt8]?
    }

    /// The maximum length of a line in bytes.
    let limit: Int
    private var number = 1
    private var pending: [UInt8] = []
    private var isTooLong = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next bytes, and emits the lines that are complete now.
    mutating func read(_ bytes: UnsafeRawBufferPointer, emit: (Line) throws -> Void) rethrows {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
                keep(bytes[start...])
                return
            }
            keep(bytes[start..<end])
            try finishLine(emit)
            start = end + 1
        }
    }

    /// Emits the last line if it has no line end.
    mutating func finish(emit: (Line) throws -> Void) rethrows {
        if !pending.isEmpty || isTooLong { try finishLine(emit) }
    }

    private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
        // Room for a CR, which is not part of the line, and for a byte order mark.
        guard !isTooLong, pending.count + bytes.count <= limit + 4 else {
            isTooLong = true
            pending.removeAll()
            return
        }
        pending.append(contentsOf: bytes)
    }

    private mutating func finishLine(_ emit: (Line) throws -> Void) rethrows {
        var line = pending[...]
        if number == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        let isWhole = !isTooLong && line.count <= limit
        let finished = Line(number: number, bytes: isWhole ? Array(line) : nil)
        number += 1
        pending.removeAll(keepingCapacity: true)
        isTooLong = false
        try emit(finished)
    }
}
