/// Validates UTF-8 that arrives in pieces, and detects the first invalid byte as it arrives (RFC 3629 §4).
struct UTF8Check: Hashable, Sendable {
    /// The bytes missing from the current character.
    private var missing = 0
    /// The allowed range of the next of them.
    private var next: ClosedRange<UInt8> = continuation

    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// Takes the next bytes. Returns false if the text can no longer become valid.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard next.contains(bytes[index]) else { return false }
                missing -= 1
                next = Self.continuation
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            // Excludes overlong forms and surrogates.
            if byte == 0xE0 { next = 0xA0...0xBF } else if byte == 0xED { next = 0x80...0x9F }
        case 0xF0...0xF4:
            missing = 3
            // Excludes overlong forms and numbers beyond Unicode.
            if byte == 0xF0 { next = 0x90...0xBF } else if byte == 0xF4 { next = 0x80...0x8F }
        default: return false
        }
        return true
    }
}
