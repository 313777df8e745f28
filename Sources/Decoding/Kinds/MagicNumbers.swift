import CMagic
import Renditions
import Synchronization

/// Identifies media types with libmagic. Its database is loaded once; the handle serves one caller at a time.
enum MagicNumbers {
    private static let cookie = Mutex(Cookie())

    /// The media type of a file with this head ("image/png"). Callable on any thread; waits for other callers.
    ///
    /// - Throws: `RenderError` with the reason `.failed` if libmagic or its database is unavailable.
    static func mediaType(of head: [UInt8]) throws(RenderError) -> String {
        let (type, problem) = cookie.withLock { $0.mediaType(of: head) }
        guard let type else {
            throw RenderError(.failed, "The type of this file cannot be determined.", logDetail: "libmagic: \(problem)")
        }
        return type
    }

    /// The owner of libmagic's handle. Never closed, because it lives as long as the process.
    ///
    /// `@unchecked Sendable`: the handle is used only under the lock of the single `Mutex` that owns the cookie.
    private struct Cookie: @unchecked Sendable {
        private let handle: magic_t?

        init() {
            // Archives, tables and programs need no detection, because none of them is an image.
            let flags =
                MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR | MAGIC_NO_CHECK_CDF
                | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CSV | MAGIC_NO_CHECK_TOKENS
            guard let opened = magic_open(flags) else {
                handle = nil
                return
            }
            guard magic_load(opened, nil) == 0 else {
                magic_close(opened)
                handle = nil
                return
            }
            handle = opened
        }

        func mediaType(of head: [UInt8]) -> (type: String?, problem: String) {
            guard let handle else { return (nil, "the database cannot be loaded") }
            let answer = head.withUnsafeBytes { magic_buffer(handle, $0.baseAddress, $0.count) }
            if let answer { return (String(cString: answer), "") }
            return (nil, magic_error(handle).map { String(cString: $0) } ?? "no answer")
        }
    }
}
