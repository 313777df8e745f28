import Glibc

typealias Attempt = @Sendable (Beforehand) throws(Refusal) -> String

/// Everything that the probe can try, keyed by its first argument.
let attempts: [String: Attempt] = fileAttempts.merging(socketAttempts) { $1 }.merging(processAttempts) { $1 }
    .merging(memoryAttempts) { $1 }.merging(descriptorAttempts) { $1 }
    .merging(statusAttempts) { $1 }.merging(threadAttempts) { $1 }
    .merging(callAttempts) { $1 }

func tryToOpen(_ path: String, _ flags: Int32) throws(Refusal) -> String {
    try Refusal.check(open(path, flags, 0o600))
    return "allowed"
}
