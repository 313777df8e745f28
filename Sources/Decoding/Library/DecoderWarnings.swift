import CVips
import Glibc
import Synchronization

/// Collects libvips's warnings separately for each thread. Some decoders, such as libpng, report problems in no other
/// way.
enum DecoderWarnings {
    private static let maximumLines = 8
    private static let lines = Mutex<[UInt: [String]]>([:])

    /// Redirects the warnings from GLib, which would print them.
    static func install() {
        let serious = GLogLevelFlags(
            rawValue: G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue)
        g_log_set_handler(
            "VIPS", serious,
            { _, _, text, _ in
                guard let text else { return }
                DecoderWarnings.add(String(cString: text))
            }, nil)
    }

    /// The calling thread's warnings since the last call.
    static func take() -> [String] {
        lines.withLock { $0.removeValue(forKey: thread) ?? [] }
    }

    private static func add(_ line: String) {
        lines.withLock { lines in
            guard lines[thread, default: []].count < maximumLines else { return }
            lines[thread, default: []].append(line)
        }
    }

    private static var thread: UInt { UInt(pthread_self()) }
}
