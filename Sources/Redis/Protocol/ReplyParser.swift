/// An incremental parser for a server's output (RESP2): bytes go in and replies come out, wherever the network has
/// split them.
///
/// Anything that is not RESP2 or exceeds the limits is a ``ReplyError``; the connection must then be closed, because
/// the rest cannot be interpreted. Holds at most one unfinished reply within the limits, and one read.
struct ReplyParser: Sendable {
    /// The limits of one reply.
    struct Bounds: Sendable {
        /// The size in bytes, as sent.
        var bytes: Int
        /// The number of elements in all its lists together.
        var elements = 65_536
        /// The nesting depth of lists.
        var depth = 8
        /// The length of a line in bytes: a number, a status or an error.
        var line = 4_096
    }

    private struct List {
        let count: Int
        var elements: [RedisReply] = []
    }

    private let bounds: Bounds
    private var buffer: [UInt8] = []
    /// Everything before this offset has been consumed.
    private var position = 0
    /// No line ends before this offset.
    private var scanned = 0
    /// The length of a string whose contents are still to come.
    private var awaited: Int?
    /// Unfinished lists, the innermost last.
    private var open: [List] = []
    /// The size and number of elements of the current reply so far.
    private var bytes = 0
    private var elements = 0

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")
    /// The largest buffer, in bytes, that is kept while no input is waiting.
    private static let spareCapacity = 131_072

    init(bounds: Bounds) { self.bounds = bounds }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.spareCapacity)
        } else if position > 0 {
            buffer.removeSubrange(..<position)
        }
        scanned -= position
        position = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next complete reply; nil until more input arrives.
    mutating func next() throws(ReplyError) -> RedisReply? {
        while true {
            let found: RedisReply?
            if let length = awaited {
                guard let string = try takeString(length) else { return nil }
                awaited = nil
                found = .bytes(string)
            } else {
                guard let line = try takeLine() else { return nil }
                found = try read(line)
            }
            if let found, let whole = place(found) { return whole }
        }
    }

    /// Nil if the line is the head of a string or a list.
    private mutating func read(_ line: ArraySlice<UInt8>) throws(ReplyError) -> RedisReply? {
        let rest = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "+"): return .bytes(Array(rest))
        case UInt8(ascii: "-"): return .error(String(decoding: rest.prefix(200), as: UTF8.self))
        case UInt8(ascii: ":"): return .integer(try Self.number(rest))
        case UInt8(ascii: "$"):
            guard let length = try Self.length(rest, limit: bounds.bytes - bytes) else { return .nothing }
            awaited = length
        case UInt8(ascii: "*"):
            guard let count = try Self.length(rest, limit: bounds.elements - elements) else { return .nothing }
            guard count > 0 else { return .list([]) }
            guard open.count < bounds.depth else { throw .tooDeep }
            elements += count
            open.append(List(count: count))
        default: throw .malformed
        }
        return nil
    }

    /// The complete reply that this is, or whose last element it is.
    private mutating func place(_ reply: RedisReply) -> RedisReply? {
        var whole = reply
        while var list = open.popLast() {
            list.elements.append(whole)
            guard list.elements.count == list.count else {
                open.append(list)
                return nil
            }
            whole = .list(list.elements)
        }
        (bytes, elements) = (0, 0)
        return whole
    }

    // MARK: - Bytes

    private mutating func takeLine() throws(ReplyError) -> ArraySlice<UInt8>? {
        let end = buffer[scanned...].firstIndex { $0 == Self.carriageReturn || $0 == Self.lineFeed } ?? buffer.count
        scanned = end
        guard end - position <= bounds.line else { throw .tooLarge }
        guard end < buffer.count else { return nil }
        return try takeEnd(of: position..<end)
    }

    private mutating func takeString(_ length: Int) throws(ReplyError) -> [UInt8]? {
        guard buffer.count - position > length else { return nil }
        return try takeEnd(of: position..<position + length).map { Array($0) }
    }

    /// The bytes in this range, which must be followed by a line end; nil until that has arrived completely.
    private mutating func takeEnd(of range: Range<Int>) throws(ReplyError) -> ArraySlice<UInt8>? {
        guard buffer[range.upperBound] == Self.carriageReturn else { throw .malformed }
        guard range.upperBound + 1 < buffer.count else { return nil }
        guard buffer[range.upperBound + 1] == Self.lineFeed else { throw .malformed }
        position = range.upperBound + 2
        scanned = position
        bytes += range.count + 2
        guard bytes <= bounds.bytes else { throw .tooLarge }
        return buffer[range]
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(ReplyError) -> Int64 {
        guard digits.first != UInt8(ascii: "+"), let number = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw .malformed
        }
        return number
    }

    /// Nil for the length -1, which means null.
    private static func length(_ digits: ArraySlice<UInt8>, limit: Int) throws(ReplyError) -> Int? {
        let number = try number(digits)
        guard number != -1 else { return nil }
        guard number >= 0 else { throw .malformed }
        guard number <= limit else { throw .tooLarge }
        return Int(number)
    }
}
