extension Sandbox {
    /// How much of the machine a process may use up. What is stricter already stays as it is.
    public struct Limits: Sendable, Equatable {
        /// Private writable memory in bytes: heap and stacks of threads, not files that are mapped to be read
        /// (`RLIMIT_DATA`, [getrlimit(2)](https://man7.org/linux/man-pages/man2/getrlimit.2.html)). Beyond it,
        /// allocations fail. A limit of addresses (`RLIMIT_AS`) would count what is reserved and never touched.
        public var memory: UInt64

        /// The length in bytes of any file that it is given to write (`RLIMIT_FSIZE`).
        public var fileLength: UInt64

        /// CPU time of all threads together, for the whole life of the process; then it is killed. A backstop: each
        /// job's own deadline is kept by the process that waits for it.
        public var cpuSeconds: UInt64

        /// Descriptors that may be open at a time, the inherited ones included.
        public var descriptors: UInt64

        /// How far the process stands back for others, 0 to 19
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
