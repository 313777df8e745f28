import Glibc

typealias Attempt = @Sendable (Beforehand) throws(Refusal) -> String

/// Everything that the probe can try, by the name that its first argument gives.
let attempts: [String: Attempt] = fileAttempts.merging(socketAttempts) { $1 }.merging(processAttempts) { $1 }
    .merging(memoryAttempts) { $1 }

func tryToOpen(_ path: String, _ flags: Int32) throws(Refusal) -> String {
    try Refusal.check(open(path, flags, 0o600))
    return "allowed"
}
