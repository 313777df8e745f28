/// Reads what `MessageWriter` wrote, without trusting the sender: anything missing, too long or out of range throws a
/// `MessageError`, and never traps.
package struct MessageReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package var rest: ArraySlice<UInt8> { bytes[position...] }
    package var isAtEnd: Bool { position == bytes.endIndex }

    package mutating func take(_ count: Int) throws(MessageError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.endIndex - position else { throw MessageError("it ends too early") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(MessageError)
        -> Number
    {
        let taken = try take(MemoryLayout<Number>.size)
        var value: Number = 0
        for byte in taken.reversed() { value = value << 8 | Number(truncatingIfNeeded: byte) }
        return value
    }

    /// A 64-bit number within `range`.
    package mutating func integer(in range: ClosedRange<Int64>, _ name: String) throws(MessageError) -> Int64 {
        let value = try number(Int64.self)
        guard range.contains(value) else { throw MessageError("\(name) is \(value)") }
        return value
    }

    package mutating func flag() throws(MessageError) -> Bool {
        let value = try number(UInt8.self)
        guard value <= 1 else { throw MessageError("a flag is \(value)") }
        return value == 1
    }

    package mutating func finite(_ name: String) throws(MessageError) -> Double {
        let value = Double(bitPattern: try number(UInt64.self))
        guard value.isFinite else { throw MessageError("\(name) is not a number") }
        return value
    }

    package mutating func block(upTo limit: Int, _ name: String) throws(MessageError) -> ArraySlice<UInt8> {
        let count = Int(try number(UInt16.self))
        guard count <= limit else { throw MessageError("\(name) has \(count) bytes") }
        return try take(count)
    }

    /// Printable UTF-8 text of at most `limit` bytes.
    package mutating func text(upTo limit: Int, _ name: String) throws(MessageError) -> String {
        let text = String(decoding: try block(upTo: limit, name), as: UTF8.self)
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else {
            throw MessageError("\(name) cannot be printed")
        }
        return text
    }

    package mutating func optional<Value>(
        _ read: (inout MessageReader) throws(MessageError) -> Value
    ) throws(MessageError) -> Value? {
        try flag() ? try read(&self) : nil
    }

    package func end() throws(MessageError) {
        guard isAtEnd else { throw MessageError("it is too long") }
    }
}

/// A message violates the protocol.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the log.
    public let description: String

    init(_ description: String) { self.description = description }
}
