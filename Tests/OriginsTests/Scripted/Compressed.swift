import CZlib

/// The bytes in zlib's format (RFC 1950), which HTTP calls deflate.
func zlibbed(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    precondition(compress2(&output, &count, bytes, uLong(bytes.count), 9) == Z_OK)
    return Array(output.prefix(Int(count)))
}

/// The bytes in the format of RFC 1951, without a frame.
func deflated(_ bytes: [UInt8]) -> [UInt8] { zlibbed(bytes).dropFirst(2).dropLast(4) }

/// The bytes in gzip's format (RFC 1952).
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    output += deflated(bytes)
    for value in [UInt(crc32(0, bytes, UInt32(bytes.count))), UInt(bytes.count)] {
        output += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return output
}
