/// The sort key of a name in the order that people expect: `IMG_2` before `IMG_10`, and upper case beside lower case.
///
/// A name is converted once to bytes that can be compared directly: letters are folded to lower case, and each run of
/// digits is written as its length followed by its digits, without leading zeros. Names that are equal in this form
/// (`a` and `A`, `1` and `01`) are ordered by their own bytes, so the order is total, and the same on every machine and
/// in every language.
struct NaturalKey: Comparable, Hashable, Sendable {
    private let folded: [UInt8]
    let name: [UInt8]

    init(_ name: [UInt8]) {
        self.name = name
        folded = NaturalKey.fold(name)
    }

    static func < (left: NaturalKey, right: NaturalKey) -> Bool {
        if left.folded != right.folded { return left.folded.lexicographicallyPrecedes(right.folded) }
        return left.name.lexicographicallyPrecedes(right.name)
    }

    /// Appends the key, terminated so that a sequence of keys is compared by the first key that differs.
    func append(to bytes: inout [UInt8]) {
        for part in [folded, name] {
            for byte in part {
                bytes.append(byte)
                if byte == 0 { bytes.append(255) }
            }
            bytes += [0, 1]
        }
    }

    private static func fold(_ name: [UInt8]) -> [UInt8] {
        let isASCII = name.allSatisfy { $0 < 0x80 }
        let text = isASCII ? name : Array(String(decoding: name, as: UTF8.self).lowercased().utf8)
        var key: [UInt8] = []
        key.reserveCapacity(text.count + 4)
        text.withUnsafeBytes { appendFolded($0, to: &key) }
        return key
    }

    /// Appends the key of a text whose non-ASCII letters are already in lower case. No key is equal to another key
    /// followed by zero bytes.
    static func appendFolded(_ text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        var position = 0
        while position < text.count {
            let byte = text[position]
            guard isDigit(byte) else {
                key.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
                position += 1
                continue
            }
            var end = position
            while end < text.count, isDigit(text[end]) { end += 1 }
            while position < end, text[position] == UInt8(ascii: "0") { position += 1 }
            // A marker that sorts where "0" does in ASCII, then the length, so that longer numbers sort later.
            let count = end - position
            key.append(UInt8(ascii: "0"))
            for _ in 0..<count / 255 { key.append(255) }
            key.append(UInt8(count % 255))
            for digit in position..<end { key.append(text[digit]) }
            position = end
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
