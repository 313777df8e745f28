extension Sandbox {
    /// Resource limits of a process. Limits that are already stricter stay.
    public struct Limits: Sendable, Equatable {
        /// Private writable memory in bytes: heap and thread stacks, but not files mapped for reading (`RLIMIT_DATA`,
        /// [getrlimit(2)](https://man7.org/linux/man-pages/man2/getrlimit.2.html)). Allocations beyond it fail.
        /// ``AddressSpace`` bounds what this does not count.
        public var memory: UInt64

        /// The length in bytes of any file that the process writes (`RLIMIT_FSIZE`).
        public var fileLength: UInt64

        /// CPU time of all threads together, in seconds, over the whole life of the process; then it is killed. A
        /// backstop: the parent process enforces a deadline for each job.
        public var cpuSeconds: UInt64

        /// Descriptors that may be open at a time, including inherited ones.
        public var descriptors: UInt64

        /// How nice the process is to others, 0 to 19
        /// ([setpriority(2)](https://man7.org/linux/man-pages/man2/setpriority.2.html)).
        public var niceness: Int32

        public init(
            memory: UInt64, fileLength: UInt64, cpuSeconds: UInt64, descriptors: UInt64, niceness: Int32
        ) {
            self.memory = memory
            self.fileLength = fileLength
            self.cpuSeconds = cpuSeconds
            self.descriptors = descriptors
            self.niceness = niceness
        }
    }
}
