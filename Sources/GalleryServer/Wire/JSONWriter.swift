/// Writes JSON (RFC 8259) straight into bytes. For what is asked for most: a page of 100 images takes a tenth of what
/// `JSONEncoder` needs, which makes a dictionary of each object first.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether something stands before what comes next in the same object or list.
    private var isAfterValue = false

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        enclosed(by: "{", "}", members)
    }

    mutating func list<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        enclosed(by: "[", "]") { json in
            for element in elements {
                json.separate()
                write(&json, element)
            }
        }
    }

    /// - Parameter name: has nothing in it that would need to be escaped.
    mutating func member(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
        separate()
        append("\"")
        append(name)
        append("\":")
        write(&self)
    }

    // MARK: - Members that are absent where there is no value

    mutating func member(_ name: StaticString, _ text: String?) {
        if let text { member(name) { $0.value(text) } }
    }

    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        if let number { member(name) { $0.value(number) } }
    }

    mutating func member(_ name: StaticString, _ number: Double?) {
        if let number { member(name) { $0.value(number) } }
    }

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        if let flag { member(name) { $0.value(flag) } }
    }

    // MARK: - Values

    mutating func null() { append("null") }

    mutating func value(_ flag: Bool) { append(flag ? "true" : "false") }

    mutating func value(_ number: some BinaryInteger) {
        guard number != 0 else { return bytes.append(UInt8(ascii: "0")) }
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let first = bytes.count
        var left = number.magnitude
        while left != 0 {
            let (quotient, digit) = left.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
            left = quotient
        }
        bytes[first...].reverse()
    }

    /// Null for what is no number: JSON has none such.
    mutating func value(_ number: Double) {
        if number.isFinite { bytes += "\(number)".utf8 } else { null() }
    }

    mutating func value(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { letters in
            // What needs no escape, as nearly all does, is copied in runs.
            var start = 0
            for place in letters.indices {
                let letter = letters[place]
                guard letter < 0x20 || letter == UInt8(ascii: "\"") || letter == UInt8(ascii: "\\") else { continue }
                bytes += letters[start..<place]
                escape(letter)
                start = place + 1
            }
            bytes += letters[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A text of which nothing needs to be escaped.
    mutating func value(_ letters: (inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        letters(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Bytes as text (RFC 4648 §4).
    mutating func value(base64 data: [UInt8]) {
        value { letters in
            let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            for start in stride(from: 0, to: data.count, by: 3) {
                let some = data[start..<min(start + 3, data.count)]
                let bits = some.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - some.count))
                for place in 0..<4 {
                    let letter = alphabet.utf8Start[bits >> (18 - 6 * place) & 63]
                    letters.append(place <= some.count ? letter : UInt8(ascii: "="))
                }
            }
        }
    }

    private mutating func escape(_ letter: UInt8) {
        switch letter {
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        case 0..<0x20:
            append(letter < 0x10 ? "\\u000" : "\\u001")
            bytes.append(UInt8(ascii: letter & 15 < 10 ? "0" : "W") + letter & 15)
        default:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(letter)
        }
    }

    private mutating func enclosed(by open: StaticString, _ close: StaticString, _ write: (inout JSONWriter) -> Void) {
        append(open)
        isAfterValue = false
        write(&self)
        append(close)
        isAfterValue = true
    }

    private mutating func separate() {
        if isAfterValue { bytes.append(UInt8(ascii: ",")) }
        isAfterValue = true
    }

    private mutating func append(_ text: StaticString) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

/// What is written by ``JSONWriter``.
protocol JSONWritable: Sendable {
    func write(to json: inout JSONWriter)
}
