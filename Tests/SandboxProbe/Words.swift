import Glibc

/// The error with which the kernel refused.
struct Refusal: Error {
    let code: Int32

    var name: String {
        switch code {
        case EACCES: "EACCES"
        case EAGAIN: "EAGAIN"
        case EBUSY: "EBUSY"
        case EFBIG: "EFBIG"
        case EINVAL: "EINVAL"
        case EMFILE: "EMFILE"
        case ENOMEM: "ENOMEM"
        case ENOSYS: "ENOSYS"
        case EPERM: "EPERM"
        default: "\(code)"
        }
    }

    /// Checks the result of a system call, where -1 means that `errno` is set.
    static func check(_ result: Int) throws(Refusal) {
        if result == -1 { throw Refusal(code: errno) }
    }

    static func check(_ result: Int32) throws(Refusal) { try check(Int(result)) }
}

/// Writes a line at once, because the process may end next.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

/// `syscall(2)`, which Swift cannot call because it is variadic. On the supported processors, integers are passed to
/// variadic functions in the same way as to others.
func call(
    _ number: Int, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, _ d: Int = 0, _ e: Int = 0, _ f: Int = 0
) throws(Refusal) -> Int {
    typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    let function = unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)
    let result = function(number, a, b, c, d, e, f)
    try Refusal.check(result)
    return result
}

/// Numbers of system calls that Swift's Glibc does not name.
enum CallNumber {
    #if arch(x86_64)
        static let capget = 125
        static let clone = 56
        static let fcntl = 72
        static let futex = 202
        static let memoryFile = 319
        static let ptrace = 101
        static let remap = 25
        static let status = 262
        static let newerStatus = 332
        static let tgkill = 234
        static let processRead = 310
    #elseif arch(arm64)
        static let capget = 90
        static let clone = 220
        static let fcntl = 25
        static let futex = 98
        static let memoryFile = 279
        static let ptrace = 117
        static let remap = 216
        static let status = 79
        static let newerStatus = 291
        static let tgkill = 131
        static let processRead = 270
    #endif
    static let openPID = 434
}
