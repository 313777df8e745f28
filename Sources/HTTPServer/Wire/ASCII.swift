/// HTTP's character classes as bit sets, so that a check costs a shift and no memory access.
enum ASCII {
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09
    static let colon: UInt8 = 0x3A

    /// `tchar` (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // Low: ! # $ % & ' * + - . 0-9. High: A-Z ^ _ ` a-z | ~
        isIn(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// The characters of a field's value: visible characters, space, tab and `obs-text` (RFC 9110 §5.5).
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == tab
    }

    /// The characters accepted in a request's target: visible ASCII except `#`. This is slightly more than RFC 3986
    /// allows, because browsers leave some of the others unescaped.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != 0x23
    }

    /// The characters of an authority (RFC 3986 §3.2.2): letters, digits and `- . _ ~ % ! $ & ' ( ) * + , ; = : [ ]`.
    @inline(__always)
    static func isAuthority(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE)
    }

    /// The characters of a host name, apart from escapes (RFC 3986 §3.2.2): `unreserved / sub-delims`.
    @inline(__always)
    static func isHostName(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// The characters that mean the same with and without escaping (RFC 3986 §2.3): letters, digits and `- . _ ~`.
    @inline(__always)
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    @inline(__always)
    private static func isIn(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 != 0 : byte < 128 && high >> UInt64(byte - 64) & 1 != 0
    }

    /// Whether `text` equals `lowercased`, which contains no upper-case letters, ignoring case.
    @inline(__always)
    static func isEqualIgnoringCase(_ text: UnsafeRawBufferPointer, lowercased: UnsafeRawBufferPointer) -> Bool {
        guard text.count == lowercased.count else { return false }
        for index in 0..<text.count where lowercase(text[index]) != lowercased[index] { return false }
        return true
    }

    /// The same for a literal.
    @inline(__always)
    static func isEqualIgnoringCase(_ text: UnsafeRawBufferPointer, lowercased: StaticString) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: lowercased.utf8Start, count: lowercased.utf8CodeUnitCount)
        return isEqualIgnoringCase(text, lowercased: bytes)
    }

    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// The text without the spaces and tabs around it.
    @inline(__always)
    static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = text.count
        while start < end, text[start] == space || text[start] == tab { start += 1 }
        while end > start, text[end - 1] == space || text[end - 1] == tab { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }
}
