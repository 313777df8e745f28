import CSandbox
import Glibc

extension Sandbox {
    /// The requests of a sandboxed process for threads, as two descriptors: the process passes them to its supervisor,
    /// another process, and closes its own. Without an answer, it gets no thread. No resource limit would do:
    /// `RLIMIT_NPROC` counts all processes of a user, and not those of root.
    ///
    /// [seccomp_unotify(2)](https://man7.org/linux/man-pages/man2/seccomp_unotify.2.html)
    public struct ThreadRequests: Sendable {
        /// Becomes readable when the process requests a thread, and hangs up when the process has ended.
        public let listener: Int32
        /// Tells how many threads there are: `/proc/PID/task`.
        private let tasks: Int32

        public enum Answer: Sendable, Equatable {
            /// The request was granted, or has been withdrawn.
            case granted
            /// The process has as many threads as it may have. Its request fails with `EAGAIN`.
            case refused
            /// With the error number.
            case failed(Int32)
        }

        init(listener: Int32, tasks: Int32) {
            (self.listener, self.tasks) = (listener, tasks)
        }

        /// The requests of another process, from the descriptors that it passed. Nil unless there are two.
        public init?(descriptors: [Int32]) {
            guard descriptors.count == 2 else { return nil }
            self.init(listener: descriptors[0], tasks: descriptors[1])
        }

        /// What to pass to the supervisor.
        public var descriptors: [Int32] { [listener, tasks] }

        /// Answers one request. Call this as the supervisor, and only when ``listener`` is readable: it would block.
        ///
        /// - Parameter limit: How many threads the process may have, including its first. Threads that ask at the same
        ///   time may each get one more, so that there are less than twice as many in the end.
        public func answer(limit: Int) -> Answer {
            switch csandbox_answer_thread_request(listener, tasks, UInt32(clamping: limit)) {
            case 0: .granted
            case EAGAIN: .refused
            case let code: .failed(code)
            }
        }

        public func close() {
            for descriptor in descriptors { Glibc.close(descriptor) }
        }
    }
}
