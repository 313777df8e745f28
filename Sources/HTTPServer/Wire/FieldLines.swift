import Glibc

/// Iterates over validated field lines: `name: value CRLF`, repeated (RFC 9112 §5).
struct FieldLines {
    let bytes: UnsafeRawBufferPointer
    let start: Int

    /// Calls `body` with each name and its value, without the white space around the value.
    @inline(__always)
    func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        guard let base = bytes.baseAddress else { return }
        var line = start
        while line < bytes.count {
            guard let newline = memchr(base + line, 0x0A, bytes.count - line) else { return }
            let end = UnsafeRawPointer(newline) - base - 1
            guard end > line, let colon = memchr(base + line, 0x3A, end - line) else { return }
            let separator = UnsafeRawPointer(colon) - base
            let name = UnsafeRawBufferPointer(rebasing: bytes[line..<separator])
            body(name, ASCII.trimmed(UnsafeRawBufferPointer(rebasing: bytes[(separator + 1)..<end])))
            line = end + 2
        }
    }
}
