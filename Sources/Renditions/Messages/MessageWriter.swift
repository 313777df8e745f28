/// Writes the messages between the pool and its workers: numbers with their least significant byte first, texts with
/// their length before them.
package struct MessageWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// At most 65,535 bytes; what is longer is cut.
    package mutating func block(_ content: some Collection<UInt8>) {
        let content = content.prefix(Int(UInt16.max))
        number(UInt16(content.count))
        bytes.append(contentsOf: content)
    }

    /// Text that can be printed, cut after so many bytes.
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
    /// Neither a control character nor one that steers how others are laid out. (What joins letters, or keeps them apart,
    /// is part of how words are written in Persian and in Hindi, and of pictures that are drawn as one.)
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .format where self == "\u{200c}" || self == "\u{200d}": true
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
