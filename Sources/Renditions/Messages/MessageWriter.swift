/// Writes the messages between the pool and its workers: little-endian numbers, and texts preceded by their length.
package struct MessageWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// A block of at most 65,535 bytes; longer content is truncated.
    package mutating func block(_ content: some Collection<UInt8>) {
        let content = content.prefix(Int(UInt16.max))
        number(UInt16(content.count))
        bytes.append(contentsOf: content)
    }

    /// Printable text, truncated to this many bytes.
    package mutating func text(_ text: String, upTo limit: Int = 1_024) {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = UTF8.encode(scalar.isPrintable ? scalar : " ")
            guard let encoded, bytes.count + encoded.count <= limit else { break }
            bytes += encoded
        }
        block(bytes)
    }

    package mutating func optional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }
}

extension Unicode.Scalar {
    /// Whether the character is neither a control character nor one that changes the layout of others. Zero-width
    /// joiners and non-joiners are allowed, because Persian, Hindi and composed emoji need them.
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .format where self == "\u{200c}" || self == "\u{200d}": true
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
