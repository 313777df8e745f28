/// Reads what a server sends (RESP2), as a value: bytes go in and replies come out, however the network has cut them.
///
/// What is no reply of RESP2, or larger than the bounds, is a ``ReplyFault``; of what comes after it nothing can be said,
/// and the connection has to be given up. It keeps no more than one unfinished reply within its bounds, and one read.
struct ReplyParser: Sendable {
    /// Of one reply.
    struct Bounds: Sendable {
        /// Bytes, as they are sent.
        var bytes: Int
        /// Elements of all its lists together.
        var elements = 65_536
        /// Lists within lists.
        var depth = 8
        /// Bytes of a line: a number, a status or an error.
        var line = 4_096
    }

    private struct List {
        let count: Int
        var elements: [RedisReply] = []
    }

    private let bounds: Bounds
    private var buffer: [UInt8] = []
    /// Before it all has been read.
    private var position = 0
    /// Before it no line ends.
    private var scanned = 0
    /// Of a string of which the length alone has come.
    private var awaited: Int?
    /// Lists whose elements are coming, the innermost last.
    private var open: [List] = []
    /// What has come of the present reply.
    private var bytes = 0
    private var elements = 0

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")
    /// Memory that is kept while nothing waits to be read.
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

    /// The next whole reply; nil until more has come.
    mutating func next() throws(ReplyFault) -> RedisReply? {
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

    /// Nil for the head of a string or a list that is yet to come.
    private mutating func read(_ line: ArraySlice<UInt8>) throws(ReplyFault) -> RedisReply? {
        let rest = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "+"): return .bytes(Array(rest))
        case UInt8(ascii: "-"): return .error(String(decoding: rest.prefix(200), as: UTF8.self))
        case UInt8(ascii: ":"): return .integer(try Self.number(rest))
        case UInt8(ascii: "$"):
            guard let length = try Self.length(rest, most: bounds.bytes - bytes) else { return .nothing }
            awaited = length
        case UInt8(ascii: "*"):
            guard let count = try Self.length(rest, most: bounds.elements - elements) else { return .nothing }
            guard count > 0 else { return .list([]) }
            guard open.count < bounds.depth else { throw .tooDeep }
            elements += count
            open.append(List(count: count))
        default: throw .malformed
        }
        return nil
    }

    /// The whole reply that this is, or whose last element it is.
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

    private mutating func takeLine() throws(ReplyFault) -> ArraySlice<UInt8>? {
        let end = buffer[scanned...].firstIndex { $0 == Self.carriageReturn || $0 == Self.lineFeed } ?? buffer.count
        scanned = end
        guard end - position <= bounds.line else { throw .tooLarge }
        guard end < buffer.count else { return nil }
        return try takeEnd(of: position..<end)
    }

    private mutating func takeString(_ length: Int) throws(ReplyFault) -> [UInt8]? {
        guard buffer.count - position > length else { return nil }
        return try takeEnd(of: position..<position + length).map { Array($0) }
    }

    /// What stands before the end of a line, which must follow; nil while that has not come whole.
    private mutating func takeEnd(of range: Range<Int>) throws(ReplyFault) -> ArraySlice<UInt8>? {
        guard buffer[range.upperBound] == Self.carriageReturn else { throw .malformed }
        guard range.upperBound + 1 < buffer.count else { return nil }
        guard buffer[range.upperBound + 1] == Self.lineFeed else { throw .malformed }
        position = range.upperBound + 2
        scanned = position
        bytes += range.count + 2
        guard bytes <= bounds.bytes else { throw .tooLarge }
        return buffer[range]
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(ReplyFault) -> Int64 {
        guard digits.first != UInt8(ascii: "+"), let number = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw .malformed
        }
        return number
    }

    /// Nil for the length -1, which says that there is nothing.
    private static func length(_ digits: ArraySlice<UInt8>, most: Int) throws(ReplyFault) -> Int? {
        let number = try number(digits)
        guard number != -1 else { return nil }
        guard number >= 0 else { throw .malformed }
        guard number <= most else { throw .tooLarge }
        return Int(number)
    }
}
