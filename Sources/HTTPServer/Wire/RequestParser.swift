import Glibc
import HTTPTypes

/// Parses the bytes of a connection into requests (RFC 9112). A pure state machine: bytes go in, events come out.
///
/// Ambiguous input is rejected: a bare LF, folded lines, misplaced white space, a length together with a transfer
/// coding, several lengths or hosts. After an error, every call throws that error, since the start of the next
/// request can no longer be determined.
struct RequestParser: Sendable {
    struct Limits: Sendable {
        /// The length of the request line, in bytes.
        var requestLine = 8_192
        /// The total length of all field lines in bytes, and separately of all trailer lines.
        var fields = 16_384
        var fieldCount = 100
        /// The length of the body, in bytes.
        var body: Int64 = 1_048_576
        /// The length of a chunk's size line, in bytes.
        var chunkLine = 256
        /// The bytes of framing that a chunked body may have in addition to ``framingPerByte``.
        var chunkFraming = 4_096
        /// The bytes of framing allowed per byte of content. Chunks of two or more bytes without extensions never
        /// exceed this.
        static let framingPerByte: Int64 = 4
    }

    enum Event: Sendable {
        case head(RequestHead)
        /// At least one byte.
        case body([UInt8])
        /// The request is complete. Every head is eventually followed by this.
        case end
    }

    private enum State: Sendable {
        case requestLine
        case fields
        case body(remaining: Int64)
        case chunkSize
        case chunk(remaining: Int64)
        case chunkEnd
        case trailers
        case end
    }

    private let limits: Limits
    private var state = State.requestLine
    private var failure: RequestError?

    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte not yet consumed. A head is consumed as a whole.
    private var start = 0
    /// The start of the current line, and how far it has been searched for its end; both relative to `start`.
    private var line = 0
    private var searched = 0

    private var head = HeadBuilder()
    private var emptyLines = 0
    private var fieldsStart = 0
    private var fieldCount = 0
    private var bodyBytes: Int64 = 0
    /// The bytes of the body's size lines and line ends.
    private var framingBytes: Int64 = 0
    /// The contents of small chunks.
    private var gathered: [UInt8] = []
    /// The bytes of small chunks that are delivered together; a chunk of at least this size is not small.
    private static let gatheredBytes = 1_024

    init(limits: Limits) {
        self.limits = limits
    }

    /// Whether no byte of the next request has arrived.
    var isBetweenRequests: Bool {
        if case .requestLine = state { return start == buffer.count }
        return false
    }

    /// Whether part of a head has arrived.
    var isInHead: Bool {
        switch state {
        case .requestLine: start < buffer.count
        case .fields: true
        default: false
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Returns the bytes not yet consumed and ends parsing, because the connection is changing to another protocol.
    mutating func takeRest() -> [UInt8] {
        defer {
            buffer = []
            start = 0
        }
        return Array(buffer[start...])
    }

    /// The capacity of the buffer, in bytes.
    var bufferedCapacity: Int { buffer.capacity }

    /// A buffer no larger than this is not worth freeing between two pieces of a body.
    private static let keptCapacity = 4_096

    /// Frees the buffer with its contents: nothing will be parsed any more.
    mutating func discard() {
        gathered = []
        buffer = []
        start = 0
    }

    /// Frees the buffer while it is empty.
    mutating func releaseBuffer() {
        guard start == buffer.count else { return }
        buffer = []
        start = 0
    }

    /// The next event; nil if more bytes are needed.
    mutating func next() throws(RequestError) -> Event? {
        if let failure { throw failure }
        do {
            return try advance() ?? takeGathered()
        } catch {
            failure = error
            // The content before the error still counts.
            if let bytes = takeGathered() { return bytes }
            throw error
        }
    }

    private mutating func advance() throws(RequestError) -> Event? {
        while true {
            switch state {
            case .requestLine:
                guard try takeRequestLine() else { return nil }
            case .fields:
                guard let head = try takeField() else { return nil }
                if let head { return .head(head) }
            case .body(let remaining):
                return takeBody(remaining) { rest in rest == 0 ? .end : .body(remaining: rest) }
            case .chunkSize:
                guard try takeChunkSize() else { return nil }
            case .chunk(let remaining):
                if let bytes = takeChunk(remaining) { return bytes }
                guard start < buffer.count else { return nil }
            case .chunkEnd:
                guard let range = try nextLine(limit: 2, orThrow: .malformed("A chunk is longer than its size."))
                else { return nil }
                guard range.isEmpty else { throw .malformed("A chunk is longer than its size.") }
                consumeLine()
                state = .chunkSize
            case .trailers:
                guard try takeTrailer() else { return nil }
            case .end:
                if let bytes = takeGathered() { return bytes }
                state = .requestLine
                return .end
            }
        }
    }

    // MARK: Lines

    /// The current line without its CRLF, relative to `start`; nil if its end has not arrived.
    private mutating func nextLine(
        limit: Int, orThrow tooLong: @autoclosure () -> RequestError
    ) throws(RequestError) -> Range<Int>? {
        let available = buffer.count - start
        let from = max(searched, line)
        let newline: Int? = buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, from < available,
                let found = memchr(base + start + from, Int32(ASCII.lineFeed), available - from)
            else { return nil }
            return UnsafeRawPointer(found) - base - start
        }
        guard let newline else {
            searched = available
            guard available - line <= limit else { throw tooLong() }
            return nil
        }
        guard newline - line < limit else { throw tooLong() }
        guard newline > line, buffer[start + newline - 1] == ASCII.carriageReturn else {
            throw .malformed("A line ends with a bare line feed.")
        }
        return line..<(newline - 1)
    }

    /// Moves on to the line after `range`, without consuming it.
    private mutating func passLine(_ range: Range<Int>) {
        line = range.upperBound + 2
        searched = line
    }

    /// Consumes everything up to the end of the current line, which has been found.
    private mutating func consumeLine() {
        guard let newline = buffer[(start + line)...].firstIndex(of: ASCII.lineFeed) else { return }
        consume(newline + 1 - start)
    }

    private mutating func consume(_ count: Int) {
        start += count
        line = 0
        searched = 0
    }

    // MARK: Head

    private mutating func takeRequestLine() throws(RequestError) -> Bool {
        guard let range = try nextLine(limit: limits.requestLine, orThrow: .targetTooLong) else { return false }
        if range.isEmpty {
            // RFC 9112 §2.2: an empty line before the request line is ignored; one, not a series of them.
            emptyLines += 1
            guard emptyLines <= 1 else { throw .malformed("Empty lines come before the request line.") }
            consume(2)
            return true
        }
        emptyLines = 0
        head = HeadBuilder()
        try buffer.withUnsafeBufferPointer { bytes throws(RequestError) in
            try head.readRequestLine(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])), range)
        }
        passLine(range)
        fieldsStart = line
        fieldCount = 0
        state = .fields
        return true
    }

    /// Takes one line of the head. Returns nil if more bytes are needed, a nested nil if the line was a field, and the
    /// complete head if it was the empty line at the end.
    private mutating func takeField() throws(RequestError) -> RequestHead?? {
        let limit = limits.fields - (line - fieldsStart)
        guard let range = try nextLine(limit: max(limit, 2), orThrow: .fieldsTooLarge) else { return .none }
        guard range.isEmpty else {
            fieldCount += 1
            guard fieldCount <= limits.fieldCount, range.upperBound + 2 - fieldsStart <= limits.fields else {
                throw .fieldsTooLarge
            }
            try buffer.withUnsafeBufferPointer { bytes throws(RequestError) in
                try head.readField(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])), range)
            }
            passLine(range)
            return .some(nil)
        }
        let complete = try head.finish(bytes: Array(buffer[start..<(start + line)]), fieldsStart: fieldsStart)
        consume(line + 2)
        bodyBytes = 0
        framingBytes = 0
        switch complete.framing {
        case .none, .length(0):
            state = .end
        case .length(let length):
            guard length <= limits.body else { throw .bodyTooLarge(limit: limits.body) }
            state = .body(remaining: length)
        case .chunked:
            state = .chunkSize
        }
        return .some(complete)
    }

    // MARK: Body

    private mutating func takeBody(_ remaining: Int64, then next: (Int64) -> State) -> Event? {
        let available = buffer.count - start
        guard available > 0 else { return nil }
        let count = Int(min(Int64(available), remaining))
        let bytes = Array(buffer[start..<(start + count)])
        consume(count)
        // Many bodies that arrive slowly must not each keep the buffer of one large read.
        if buffer.capacity > Self.keptCapacity { releaseBuffer() }
        state = next(remaining - Int64(count))
        return .body(bytes)
    }

    /// Nil if there is nothing to deliver yet: the contents of small chunks are gathered, or each would cost as much
    /// as a large one.
    private mutating func takeChunk(_ remaining: Int64) -> Event? {
        let next = { (rest: Int64) in rest == 0 ? State.chunkEnd : .chunk(remaining: rest) }
        if remaining >= Self.gatheredBytes { return takeGathered() ?? takeBody(remaining, then: next) }
        let count = min(buffer.count - start, Int(remaining))
        gathered.append(contentsOf: buffer[start..<(start + count)])
        consume(count)
        state = next(remaining - Int64(count))
        return gathered.count >= Self.gatheredBytes ? takeGathered() : nil
    }

    private mutating func takeGathered() -> Event? {
        guard !gathered.isEmpty else { return nil }
        defer { gathered = [] }
        return .body(gathered)
    }

    private mutating func takeChunkSize() throws(RequestError) -> Bool {
        let tooLong = RequestError.malformed("The line of a chunk's size is too long.")
        guard let range = try nextLine(limit: limits.chunkLine, orThrow: tooLong) else { return false }
        let size = try buffer.withUnsafeBufferPointer { bytes throws(RequestError) in
            let line = (start + range.lowerBound)..<(start + range.upperBound)
            return try ChunkLine.size(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[line])))
        }
        // The line, its line end, and the line end after the chunk.
        framingBytes += Int64(range.count + 4)
        guard framingBytes <= Int64(limits.chunkFraming) + Limits.framingPerByte * bodyBytes else {
            throw .malformed("The chunks of the body are mostly framing.")
        }
        guard size <= limits.body - bodyBytes else { throw .bodyTooLarge(limit: limits.body) }
        bodyBytes += size
        consume(range.upperBound + 2)
        if size == 0 {
            fieldCount = 0
            fieldsStart = 0
            state = .trailers
        } else {
            state = .chunk(remaining: size)
        }
        return true
    }

    /// Trailers are validated, counted and dropped: nothing here uses them, and a header field has no meaning after
    /// the body (RFC 9110 §6.5.1).
    private mutating func takeTrailer() throws(RequestError) -> Bool {
        guard let range = try nextLine(limit: max(limits.fields - line, 2), orThrow: .fieldsTooLarge) else {
            return false
        }
        guard range.isEmpty else {
            fieldCount += 1
            guard fieldCount <= limits.fieldCount else { throw .fieldsTooLarge }
            try buffer.withUnsafeBufferPointer { bytes throws(RequestError) in
                _ = try HeadBuilder.fieldName(
                    UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])), range)
            }
            passLine(range)
            return true
        }
        consume(range.upperBound + 2)
        state = .end
        return true
    }
}
