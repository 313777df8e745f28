import CSandbox
import Glibc

/// The rights that a process gives up for good before it decodes untrusted bytes.
///
/// Call ``limit(_:)`` first; then ``dropCapabilities()`` and ``confineFiles(to:)``, while there is only one thread; then
/// anything that still has to load libraries or start threads; and ``confineCalls()`` last. None of this can be undone,
/// and child processes would inherit it.
///
/// ```swift
/// try Sandbox.limit(
///     Sandbox.Limits(memory: 512 << 20, fileLength: 0, cpuSeconds: 600, descriptors: 64, niceness: 5))
/// try Sandbox.dropCapabilities()
/// let filesAreConfined = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
/// warmUp()
/// let threadRequests = try Sandbox.confineCalls()
/// ```
public enum Sandbox {
    /// Limits the process's resources, and ties its life to the thread that started it: when that thread ends, the
    /// process is killed (`PR_SET_PDEATHSIG` of [prctl(2)](https://man7.org/linux/man-pages/man2/prctl.2.html)). It
    /// dumps no core, and processes of the same user can neither trace it nor read its memory (`PR_SET_DUMPABLE`).
    /// Throws ``SandboxError``.
    public static func limit(_ limits: Limits) throws(SandboxError) {
        let code = csandbox_limit(
            limits.memory, limits.fileLength, limits.cpuSeconds, limits.descriptors, limits.niceness)
        if code != 0 { throw SandboxError(step: .limits, code: code) }
    }

    /// Gives up all [capabilities](https://man7.org/linux/man-pages/man7/capabilities.7.html), which a process of root
    /// has, and gaining any (`PR_SET_NO_NEW_PRIVS`). Binds only the calling thread and those that it starts later.
    /// Throws ``SandboxError``.
    public static func dropCapabilities() throws(SandboxError) {
        let code = csandbox_drop_capabilities()
        if code != 0 { throw SandboxError(step: .capabilities, code: code) }
    }

    /// Gives up, in all threads, every system call that decoding does not need, by
    /// [seccomp(2)](https://man7.org/linux/man-pages/man2/seccomp.2.html): the process can create no socket and no
    /// process, write no file except through descriptors it is given, and run no code that isn't loaded yet. A call
    /// that libraries legitimately try fails with an error number; any other kills the process with `SIGSYS`. Throws
    /// ``SandboxError``.
    ///
    /// Everything must therefore be loaded before: the modules of gdk-pixbuf, libvips and iconv(3), and the magic
    /// database. The process must not block SIGSYS in any thread: a handler answers calls that ask about paths.
    ///
    /// - Returns: The requests for further threads, which a supervisor has to answer. Nil if the number of threads is not
    ///   limited, because the kernel (before 5.7) has no such requests, the container runtime makes use of them itself,
    ///   or `/proc` is not mounted.
    public static func confineCalls() throws(SandboxError) -> ThreadRequests? {
        let tasks = csandbox_open_tasks()
        var listener: Int32 = -1
        let code = tasks >= 0 ? csandbox_confine_calls(&listener) : csandbox_confine_calls(nil)
        guard code == 0, listener >= 0 else {
            if tasks >= 0 { close(tasks) }
            if code != 0 { throw SandboxError(step: .calls, code: code) }
            return nil
        }
        return ThreadRequests(listener: listener, tasks: tasks)
    }
}
