import CSandbox
import Glibc

extension Sandbox {
    /// The address space of the process. Its size can be read through this even after files have been confined.
    public final class AddressSpace {
        private let descriptor: Int32

        /// Nil if `/proc` is not mounted.
        public init?() {
            descriptor = csandbox_open_size()
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }

        /// Limits the address space (`RLIMIT_AS`), which bounds memory that ``Limits/memory`` does not count: page
        /// tables, memory that grows like a stack, and memory that was made inaccessible after it was written. Call this
        /// when everything is loaded. It is relative to what is mapped then, since libraries, and sanitizers above all,
        /// reserve a lot that they never touch.
        ///
        /// - Parameters:
        ///   - memory: Bytes of private writable memory, as in ``Limits/memory``.
        ///   - mappings: Bytes that may be mapped besides, such as files of fonts.
        public func limit(memory: UInt64, mappings: UInt64) throws(SandboxError) {
            let code = csandbox_limit_address_space(descriptor, memory, mappings)
            if code != 0 { throw SandboxError(step: .limits, code: code) }
        }
    }
}
