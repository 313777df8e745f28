/// A JSON text (RFC 8259) as a value. Messages are parsed on an event loop, where Foundation's `JSONDecoder` would take
/// too long: a report of held renditions names hundreds of images.
public enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits into an `Int`.
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONValue])
    /// If several members have the same name, the last one counts. Members whose names are longer than
    /// ``longestName`` or not ASCII are left out: no format read here has such names, and hashing an arbitrary text can
    /// take time that grows with the square of its length (see ``ExactText``).
    case object([String: JSONValue])

    /// Nil for anything but exactly one JSON text, and for lists and objects nested deeper than `maximumDepth`.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ JSONReader.value(of: $0) }) else { return nil }
        self = value
    }

    public static let maximumDepth = 64
    /// The longest name of a member, in bytes.
    public static let longestName = 64
}

/// Parses one JSON text from bytes that are known to be UTF-8.
private struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    static func value(of bytes: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        for offset in 0..<length where bytes[position + offset] != word.utf8Start[offset] { return false }
        position += length
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth + 1)
        case UInt8(ascii: "["): return list(depth: depth + 1)
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "t"): return take(word: "true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        guard depth <= JSONValue.maximumDepth, take("{") else { return nil }
        skipSpace()
        if take("}") { return .object([:]) }
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(4)
        repeat {
            skipSpace()
            guard let name = text() else { return nil }
            skipSpace()
            guard take(":"), let value = value(depth: depth) else { return nil }
            if name.utf8.count <= JSONValue.longestName, name.utf8.allSatisfy({ $0 < 0x80 }) { members[name] = value }
            skipSpace()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func list(depth: Int) -> JSONValue? {
        guard depth <= JSONValue.maximumDepth, take("[") else { return nil }
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .list(values) }
        repeat {
            guard let value = value(depth: depth) else { return nil }
            values.append(value)
            skipSpace()
        } while take(",")
        return take("]") ? .list(values) : nil
    }

    private mutating func text() -> String? {
        guard take("\"") else { return nil }
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        let plain = String(decoding: bytes[start..<position], as: UTF8.self)
        if take("\"") { return plain }
        var text = plain
        while let byte = next, byte >= 0x20 {
            if take("\"") { return text }
            if byte == UInt8(ascii: "\\") {
                guard let scalar = escaped() else { return nil }
                text.unicodeScalars.append(scalar)
            } else {
                let start = position
                while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                    position += 1
                }
                text += String(decoding: bytes[start..<position], as: UTF8.self)
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        position += 1
        guard let letter = next else { return nil }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = fourDigits() else { return nil }
            guard 0xd800...0xdbff ~= unit else { return Unicode.Scalar(unit) }
            guard take(word: "\\u"), let low = fourDigits(), 0xdc00...0xdfff ~= low else { return nil }
            return Unicode.Scalar(0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        default: return nil
        }
    }

    private mutating func fourDigits() -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.digit(bytes[position]) else { return nil }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = position
        _ = take("-")
        let whole = digits()
        // A number has no leading zeros (RFC 8259 §6).
        guard whole == 1 || (whole > 1 && bytes[position - whole] != UInt8(ascii: "0")) else { return nil }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard digits() > 0 else { return nil }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { return nil }
        }
        let written = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(written) { return .integer(integer) }
        return Double(written).map { .number($0) }
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        return position - start
    }
}
