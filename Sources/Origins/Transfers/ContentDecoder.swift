import CZlib

/// Decodes a body with a content coding (RFC 9110 §8.4.1), piece by piece and without any buffer but one for its
/// output. No coding is ever requested, but some origins compress all the same.
///
/// Brotli is not among the codings, because its decoder may need 16 MB for each body.
final class ContentDecoder {
    enum Coding: Hashable, Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1950, or the bare RFC 1951 that some servers send under this name.
        case deflate

        /// - Parameter name: A coding in lower case.
        init?(_ name: String) {
            switch name {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            default: return nil
            }
        }
    }

    enum Fault: Error, Hashable {
        case malformed
        /// The decoded body is too many times as large as the encoded one.
        case tooDense
    }

    /// The largest decoded body, as a multiple of the encoded one, that is more than `freeBytes` long. zlib reaches
    /// 1032.
    static let maximumRatio = 200
    static let freeBytes = 1 << 20
    private static let pieceSize = 64 << 10

    private let coding: Coding
    /// At a stable address, because zlib's state points back to it. Nil before the first bytes, which tell the format.
    private var stream: UnsafeMutablePointer<z_stream>?
    private var output = [UInt8](repeating: 0, count: ContentDecoder.pieceSize)
    /// The first byte of a `deflate` body.
    private var first: UInt8?
    /// How much of the bytes that will be passed again has been decoded.
    private var consumed = 0
    /// With any padding.
    private(set) var encodedCount = 0
    private var decodedCount = 0
    /// Whether the encoded data ended at the last byte that was decoded.
    private(set) var isWhole = false
    /// Whether something else follows the encoded data.
    private var isPadded = false

    init(_ coding: Coding) {
        self.coding = coding
    }

    deinit {
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decodes the next bytes.
    ///
    /// - Parameter emit: Gets the decoded bytes in pieces of at most 64 KiB. Returns false to stop after this piece.
    /// - Returns: False if `emit` stopped. Then the next call must pass the same bytes again.
    func decode(
        _ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) -> Bool
    ) throws(Fault) -> Bool {
        if stream == nil {
            guard let next = bytes.first else { return true }
            switch (coding, first) {
            case (.gzip, _): try open(windowBits: 16 + MAX_WBITS)
            case (.deflate, nil) where bytes.count == 1:
                first = next
                encodedCount += 1
                return true
            case (.deflate, let known): try openDeflate(known ?? next, known == nil ? bytes[1] : next)
            }
            if let first {
                // One byte of the format's beginning, which decodes to nothing.
                _ = try withUnsafeBytes(of: first) { bytes throws(Fault) in try inflate(bytes) }
            }
        }
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[min(consumed, bytes.count)...])
            if isWhole, !rest.isEmpty, try !beginMember(rest[0]) {
                encodedCount += rest.count
                break
            }
            var (used, produced) = (0, 0)
            if !isWhole { (used, produced) = try inflate(rest) }
            (consumed, encodedCount) = (consumed + used, encodedCount + used)
            decodedCount += produced
            guard decodedCount <= Self.freeBytes || decodedCount / Self.maximumRatio <= encodedCount else {
                throw .tooDense
            }
            if produced > 0 {
                guard output.withUnsafeBytes({ emit(UnsafeRawBufferPointer(rebasing: $0[..<produced])) }) else {
                    return false
                }
            }
            if consumed >= bytes.count, isWhole || produced < output.count { break }
        }
        consumed = 0
        return true
    }

    private func openDeflate(_ first: UInt8, _ second: UInt8) throws(Fault) {
        // The check of RFC 1950 §2.2.
        let isZlib = Int32(first & 15) == Z_DEFLATED && (UInt16(first) << 8 | UInt16(second)).isMultiple(of: 31)
        try open(windowBits: isZlib ? MAX_WBITS : -MAX_WBITS)
    }

    private func open(windowBits: Int32) throws(Fault) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard czlib_inflate_init(stream, windowBits) == Z_OK else {
            stream.deallocate()
            throw .malformed
        }
        self.stream = stream
    }

    /// A gzip file may consist of several members (RFC 1952 §2.2). Anything else that follows is padding, as browsers
    /// see it.
    private func beginMember(_ next: UInt8) throws(Fault) -> Bool {
        guard coding == .gzip, next == 0x1f, !isPadded else {
            isPadded = true
            return false
        }
        guard inflateReset(stream) == Z_OK else { throw .malformed }
        isWhole = false
        return true
    }

    /// Decodes as much as fits into `output`.
    private func inflate(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> (used: Int, produced: Int) {
        guard let stream else { throw .malformed }
        let (code, left) = output.withUnsafeMutableBufferPointer { output in
            let first = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: first)
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            return (CZlib.inflate(stream, Z_NO_FLUSH), Int(stream.pointee.avail_out))
        }
        switch code {
        case Z_STREAM_END: isWhole = true
        // No progress is possible without more input.
        case Z_OK, Z_BUF_ERROR: break
        default: throw .malformed
        }
        return (bytes.count - Int(stream.pointee.avail_in), output.count - left)
    }
}
