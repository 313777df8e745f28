import Glibc

/// Why a loop failed to perform an operation.
public enum LoopError: Error, Equatable, CustomStringConvertible {
    /// The system call `call` failed with the error number `code`.
    case system(call: String, code: Int32)
    /// The loop has been stopped and watches nothing more.
    case stopped

    public var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code))) (\(code))"
        case .stopped: "the event loop has been stopped"
        }
    }
}
