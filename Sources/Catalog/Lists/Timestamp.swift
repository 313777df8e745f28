/// Times as RFC 3339 section 5.6 writes them.
enum Timestamp {
    /// Whether the text is a full date and time with its zone, each number within its range.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count) else { return false }
        let shape = Array("dddd-dd-ddTdd:dd:dd".utf8)
        for (byte, expected) in zip(bytes, shape) {
            switch expected {
            case UInt8(ascii: "d"): guard isDigit(byte) else { return false }
            case UInt8(ascii: "T"): guard byte | 0x20 == UInt8(ascii: "t") || byte == 0x20 else { return false }
            default: guard byte == expected else { return false }
            }
        }
        func number(_ start: Int) -> Int { Int(bytes[start] - 48) * 10 + Int(bytes[start + 1] - 48) }
        guard (1...12).contains(number(5)), (1...31).contains(number(8)), number(11) < 24, number(14) < 60,
            number(17) <= 60
        else { return false }
        var rest = bytes[shape.count...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        return isZone(Array(rest))
    }

    private static func isZone(_ zone: [UInt8]) -> Bool {
        if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return true }
        guard zone.count == 6, "+-".utf8.contains(zone[0]), zone[3] == UInt8(ascii: ":") else { return false }
        return [1, 2, 4, 5].allSatisfy { isDigit(zone[$0]) } && zone[1] <= UInt8(ascii: "2")
            && zone[4] <= UInt8(ascii: "5")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
