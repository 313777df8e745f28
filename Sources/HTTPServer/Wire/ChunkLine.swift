import Encodings

/// The line before a chunk (RFC 9112 §7.1): its size, and extensions. Extensions are ignored but validated, because
/// ambiguous requests must be rejected.
struct ChunkLine {
    private let bytes: UnsafeRawBufferPointer
    private var cursor = 0

    /// The chunk's size in bytes. `line` is without its CRLF.
    static func size(_ line: UnsafeRawBufferPointer) throws(RequestError) -> Int64 {
        var reader = ChunkLine(bytes: line)
        let size = try reader.readSize()
        while reader.cursor < line.count {
            guard reader.readExtension() else { throw .malformed("A chunk's extension is malformed.") }
        }
        return size
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private var next: UInt8? { cursor < bytes.count ? bytes[cursor] : nil }

    private mutating func readSize() throws(RequestError) -> Int64 {
        var size: Int64 = 0
        while let digit = next.flatMap(Hexadecimal.digit) {
            cursor += 1
            guard cursor <= 15 else { throw .malformed("The size of a chunk has too many digits.") }
            size = size << 4 | Int64(digit)
        }
        guard cursor > 0, next.map({ $0 == UInt8(ascii: ";") || Self.isSpace($0) }) ?? true else {
            throw .malformed("The size of a chunk is not hexadecimal.")
        }
        return size
    }

    /// `BWS ";" BWS name [ BWS "=" BWS value ]` (RFC 9112 §7.1.1).
    private mutating func readExtension() -> Bool {
        skipSpace()
        guard take(UInt8(ascii: ";")) else { return false }
        skipSpace()
        guard readToken() else { return false }
        let end = cursor
        skipSpace()
        guard take(UInt8(ascii: "=")) else {
            // White space is allowed only before an element, not at the end of the line.
            cursor = end
            return true
        }
        skipSpace()
        return readQuoted() || readToken()
    }

    private mutating func readToken() -> Bool {
        let start = cursor
        while next.map(ASCII.isToken) ?? false { cursor += 1 }
        return cursor > start
    }

    /// `quoted-string` (RFC 9110 §5.6.4).
    private mutating func readQuoted() -> Bool {
        let start = cursor
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = next, ASCII.isFieldValue(byte) {
            cursor += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard next.map(ASCII.isFieldValue) ?? false else { break }
            cursor += 1
        }
        cursor = start
        return false
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        cursor += 1
        return true
    }

    private mutating func skipSpace() {
        while next.map(Self.isSpace) ?? false { cursor += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}
