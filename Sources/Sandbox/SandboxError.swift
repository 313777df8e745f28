import Glibc

/// A step into the sandbox that the kernel, or what runs the container, refused.
public struct SandboxError: Error, Equatable, CustomStringConvertible {
    /// Which of the sandbox's walls is missing.
    public enum Step: String, Sendable {
        /// Limits of memory, time and descriptors.
        case limits
        /// Landlock: the files that may be read.
        case files
        /// seccomp: the system calls that may be made.
        case calls
    }

    public let step: Step

    /// The error number: `EBUSY` if the process has threads that the step cannot bind; see the call's man page.
    public let code: Int32

    public init(step: Step, code: Int32) {
        self.step = step
        self.code = code
    }

    public var description: String { "the sandbox's \(step.rawValue): \(String(cString: strerror(code)))" }
}
