import CMagic
import Renditions
import Synchronization

/// What libmagic says that bytes are. Its database is loaded once; one cookie serves one caller at a time.
enum MagicNumbers {
    private static let cookie = Mutex(Cookie())

    /// The media type of a file that begins so ("image/png"). Any thread; waits for other callers.
    ///
    /// - Throws: `RenderError` with the reason `.failed` when libmagic or its database is not available.
    static func mediaType(of head: [UInt8]) throws(RenderError) -> String {
        let (type, problem) = cookie.withLock { $0.mediaType(of: head) }
        guard let type else {
            throw RenderError(.failed, "The kind of this file cannot be told.", logDetail: "libmagic: \(problem)")
        }
        return type
    }

    /// The owner of libmagic's handle. It is never closed: it lives as long as the process.
    ///
    /// `@unchecked Sendable`: the handle is used only within the lock of the one `Mutex` that owns the cookie.
    private struct Cookie: @unchecked Sendable {
        private let handle: magic_t?

        init() {
            // Archives, tables and programs are not told apart: none of them is a picture.
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
