import Glibc

/// What the kernel said no with.
struct Refusal: Error {
    let code: Int32

    var name: String {
        switch code {
        case EACCES: "EACCES"
        case EBUSY: "EBUSY"
        case EFBIG: "EFBIG"
        case EMFILE: "EMFILE"
        case ENOMEM: "ENOMEM"
        case ENOSYS: "ENOSYS"
        case EPERM: "EPERM"
        default: "\(code)"
        }
    }

    /// A system call's result, where -1 means to look at `errno`.
    static func check(_ result: Int) throws(Refusal) {
        if result == -1 { throw Refusal(code: errno) }
    }

    static func check(_ result: Int32) throws(Refusal) { try check(Int(result)) }
}

/// Writes a line at once: what follows may be the end of the process.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

/// `syscall(2)`, which is variadic and so out of Swift's sight. On the processors that this runs on, integers are
/// passed the same way to a variadic function as to any other.
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
        static let clone = 56
        static let ptrace = 101
        static let tgkill = 234
        static let processRead = 310
    #elseif arch(arm64)
        static let clone = 220
        static let ptrace = 117
        static let tgkill = 131
        static let processRead = 270
    #endif
    static let openPID = 434
    static let ringSetup = 425
}
