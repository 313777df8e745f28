import CSandbox

/// What a process gives up for good before it decodes bytes that somebody hostile may have written.
///
/// The order is ``limit(_:)``, ``confineFiles(to:)`` while there is one thread, whatever still has to load libraries or
/// start threads, ``confineCalls()``. Nothing of it can be taken back, and child processes would inherit all of it.
///
/// ```swift
/// try Sandbox.limit(
///     Sandbox.Limits(memory: 512 << 20, fileLength: 0, cpuSeconds: 600, descriptors: 64, niceness: 5))
/// let filesAreConfined = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
/// warmUp()
/// try Sandbox.confineCalls()
/// ```
public enum Sandbox {
    /// Bounds what the process uses up and ties its life to the thread that started it: when that one ends, the process
    /// is killed (`PR_SET_PDEATHSIG` of [prctl(2)](https://man7.org/linux/man-pages/man2/prctl.2.html)). It dumps no
    /// core, and processes of the same user can neither trace it nor read its memory (`PR_SET_DUMPABLE`).
    public static func limit(_ limits: Limits) throws(SandboxError) {
        let code = csandbox_limit(
            limits.memory, limits.fileLength, limits.cpuSeconds, limits.descriptors, limits.niceness)
        if code != 0 { throw SandboxError(step: .limits, code: code) }
    }

    /// Gives up every system call that decoding does not need, in all threads, by
    /// [seccomp(2)](https://man7.org/linux/man-pages/man2/seccomp.2.html): the process makes no socket and no process,
    /// writes no file but those that it is given, and runs no code but what is loaded by now. What libraries try in good faith fails with an error
    /// number; what only an attacker would call kills the process with `SIGSYS`.
    ///
    /// So must everything be loaded before: modules of gdk-pixbuf, libvips and iconv(3), the magic database.
    public static func confineCalls() throws(SandboxError) {
        let code = csandbox_confine_calls()
        if code != 0 { throw SandboxError(step: .calls, code: code) }
    }
}
