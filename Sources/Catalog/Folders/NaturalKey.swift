/// The place of a name in the order that people expect: `IMG_2` before `IMG_10`, and capitals beside small letters.
///
/// A name is turned into bytes once, such that comparing bytes is comparing names: letters folded to lower case, and
/// each run of digits written as its length before its digits, without leading zeros. Names that people cannot tell
/// apart by this (`a` and `A`, `1` and `01`) are told apart by their own bytes, so the order is total, and the same on
/// every machine and in every language.
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

    /// Writes the key such that keys in a row are compared by the first in which they differ.
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
        appendFolded(text[...], to: &key)
        return key
    }

    /// Adds the key of a text whose letters, but those of ASCII, are in lower case already.
    static func appendFolded(_ text: ArraySlice<UInt8>, to key: inout [UInt8]) {
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            guard isDigit(byte) else {
                key.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
                position += 1
                continue
            }
            let end = text[position...].firstIndex { !isDigit($0) } ?? text.endIndex
            let digits = text[position..<end].drop { $0 == UInt8(ascii: "0") }
            // A mark where "0" stands in ASCII, then the length: a longer number is a greater one.
            key.append(UInt8(ascii: "0"))
            key.append(contentsOf: repeatElement(255, count: digits.count / 255))
            key.append(UInt8(digits.count % 255))
            key.append(contentsOf: digits)
            position = end
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
