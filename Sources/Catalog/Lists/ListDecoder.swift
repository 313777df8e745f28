/// Converts a list to UTF-8, in pieces of any size. Lists are in UTF-8 or, as Windows programs write them, in UTF-16
/// with a byte order mark (Unicode 15.0, section 23.8). Without the mark, a zero byte beside the first character, which
/// is ASCII in any list, tells UTF-16 as well.
struct ListDecoder {
    private enum Encoding {
        case unknown, utf8
        case utf16(isBigEndian: Bool)
    }

    private var encoding = Encoding.unknown
    /// The first byte, while the encoding is unknown; in UTF-16, the first byte of an incomplete unit.
    private var pending: UInt8?
    /// The first half of a surrogate pair.
    private var highSurrogate: UInt16?
    private var output: [UInt8] = []

    /// Takes the next bytes, and emits the same text in UTF-8.
    mutating func read(_ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var rest = bytes[...]
        if case .unknown = encoding {
            guard let first = pending ?? rest.popFirst() else { return }
            pending = first
            guard let second = rest.first else { return }
            encoding = Self.encoding(first, second)
            if case .utf8 = encoding {
                pending = nil
                try withUnsafeBytes(of: first, emit)
            }
        }
        guard case .utf16(let isBigEndian) = encoding else {
            return try emit(UnsafeRawBufferPointer(rebasing: rest))
        }
        output.removeAll(keepingCapacity: true)
        for byte in rest {
            guard let first = pending else {
                pending = byte
                continue
            }
            pending = nil
            append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
        }
        try output.withUnsafeBytes(emit)
    }

    /// Emits the rest at the end of the list: an incomplete character becomes U+FFFD.
    mutating func finish(emit: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        output.removeAll(keepingCapacity: true)
        switch encoding {
        case .utf8: return
        case .unknown: output += [pending].compactMap(\.self)
        case .utf16: if pending != nil || highSurrogate != nil { encode(nil) }
        }
        (pending, highSurrogate) = (nil, nil)
        try output.withUnsafeBytes(emit)
    }

    private static func encoding(_ first: UInt8, _ second: UInt8) -> Encoding {
        switch (first, second) {
        case (0xff, 0xfe): .utf16(isBigEndian: false)
        case (0xfe, 0xff): .utf16(isBigEndian: true)
        case (0, 1...): .utf16(isBigEndian: true)
        case (1..., 0): .utf16(isBigEndian: false)
        default: .utf8
        }
    }

    private mutating func append(_ unit: UInt16) {
        if unit < 0x80, highSurrogate == nil { return output.append(UInt8(unit)) }
        // The mark, which is also a space of no width, means nothing in a list.
        if unit == 0xfeff { return }
        if let high = highSurrogate {
            highSurrogate = nil
            if UTF16.isTrailSurrogate(unit) {
                let offset = UInt32(high & 0x3ff) << 10 | UInt32(unit & 0x3ff)
                return encode(Unicode.Scalar(0x10000 + offset))
            }
            encode(nil)
            return append(unit)
        }
        if UTF16.isLeadSurrogate(unit) {
            highSurrogate = unit
        } else {
            encode(Unicode.Scalar(unit))
        }
    }

    /// - Parameter scalar: Nil for a code that stands for no character.
    private mutating func encode(_ scalar: Unicode.Scalar?) {
        output += UTF8.encode(scalar ?? "\u{fffd}") ?? UTF8.encodedReplacementCharacter
    }
}
