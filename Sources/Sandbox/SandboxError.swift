import Glibc

/// A step into the sandbox that the kernel or the container runtime refused.
public struct SandboxError: Error, Equatable, CustomStringConvertible {
    /// The part of the sandbox that could not be set up.
    public enum Step: String, Sendable {
        /// Limits of memory, CPU time and descriptors.
        case limits
        /// The privileges of a process of root.
        case capabilities
        /// Landlock: the files that the process may read.
        case files
        /// seccomp: the system calls that the process may make.
        case calls
    }

    /// The step that failed.
    public let step: Step

    /// The error number: `EBUSY` if the process has threads that the step cannot bind. See the system call's man page.
    public let code: Int32

    public init(step: Step, code: Int32) {
        self.step = step
        self.code = code
    }

    public var description: String { "the sandbox's \(step.rawValue): \(String(cString: strerror(code)))" }
}
