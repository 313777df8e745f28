import Glibc
import Testing

/// What the sandbox denies. Each attempt is also made without the sandbox, because one that fails anyway would show
/// nothing.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private func expect(
        _ attempt: String, _ outcome: Probe.Outcome, behind walls: Probe.Walls = .all,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Probe.outcome(of: attempt, behind: walls) == outcome, "\(attempt)", sourceLocation: sourceLocation)
        #expect(Probe.outcome(of: attempt, behind: .none) == .allowed, "\(attempt)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["internet-socket", "unix-socket", "socket-of-older-thread", "connect"])
    func `creating or connecting a socket kills the process`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["exec", "fork", "spawn"])
    func `starting a program or a process kills the process`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["trace", "read-own-memory-as-another", "hold-parent"])
    func `reaching into another process kills the process`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["is-parent-alive", "signal-parent"])
    func `signalling the parent kills the process`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(
        .enabled(if: Probe.kernelAsksForThreads, "the kernel cannot ask, or the container runtime does"),
        arguments: ["too-many-threads", "too-many-threads-from-threads"])
    func `there are no more threads than the supervisor grants`(attempt: String) {
        expect(attempt, .refused("EAGAIN"))
        expect(attempt, .refused("EAGAIN"), behind: .calls)
        #expect(Probe.outcome(of: attempt, behind: .limits) == .allowed, "resource limits do not bound them")
    }

    /// Without the sandbox, this would crash.
    @Test func `a thread with descriptors of its own kills the process`() {
        #expect(Probe.outcome(of: "thread-with-descriptors-of-its-own") == .killed(SIGSYS))
    }

    @Test func `a thread of another process cannot be signalled`() {
        expect("signal-thread-of-parent", .refused("EPERM"))
    }

    @Test(
        .enabled(if: Probe.kernelHasLandlock, "the kernel has no Landlock"),
        arguments: ["read-outside", "read-environment"])
    func `files that drawing does not need cannot be read`(attempt: String) {
        expect(attempt, .refused("EACCES"))
        expect(attempt, .refused("EACCES"), behind: .files)
    }

    @Test(
        .enabled(if: Probe.kernelHasLandlock, "the kernel has no Landlock"),
        arguments: [
            "status-outside", "status-outside-as-of-descriptor", "status-of-link-outside", "access-outside",
        ])
    func `sizes and times of files that drawing does not need cannot be read`(attempt: String) {
        expect(attempt, .refused("EACCES"))
    }

    @Test(arguments: ["hold-path", "read-link"])
    func `a path that cannot be read cannot be held either`(attempt: String) {
        expect(attempt, .refused("EACCES"))
        expect(attempt, .refused("EACCES"), behind: .calls)
    }

    @Test func `the newest call about files seems to be missing`() {
        expect("newer-status-outside", .refused("ENOSYS"))
    }

    /// The other thread would keep access to every file.
    @Test func `files cannot be confined while there is another thread`() {
        #expect(Probe.outcome(of: "confine-files-beside-a-thread", behind: .none) == .refused("EBUSY"))
    }

    @Test(arguments: ["write", "read-and-write", "truncate", "create", "unlink", "make-directory"])
    func `no file can be written, created or removed, with or without Landlock`(attempt: String) {
        expect(attempt, .refused("EACCES"))
        expect(attempt, .refused("EACCES"), behind: .calls)
    }

    @Test func `a file that was passed in can be written, but not beyond its limit`() {
        #expect(Probe.outcome(of: "write-what-was-given") == .allowed)
        expect("fill-what-was-given", .refused("EFBIG"))
    }

    @Test func `renaming a file kills the process`() { expect("rename", .killed(SIGSYS)) }

    @Test(arguments: ["executable-mapping", "executable-afterwards"])
    func `no memory becomes executable`(attempt: String) { expect(attempt, .refused("EACCES")) }

    @Test(arguments: [
        "change-flags", "change-owner", "change-signal", "lock", "lease", "change-pipe", "watch-folder",
        "change-read-ahead",
    ])
    func `an open file cannot be changed for those who share it`(attempt: String) {
        expect(attempt, .refused("EPERM"))
    }

    /// seccomp would kill a process that asks for its capabilities.
    @Test(
        .enabled(if: geteuid() == 0, "only a process of root has capabilities to drop"), arguments: ["keep-capability"])
    func `no capability is kept`(attempt: String) {
        #expect(Probe.outcome(of: attempt, behind: .limits) == .refused("EPERM"))
        #expect(Probe.outcome(of: attempt, behind: .none) == .allowed)
    }

    @Test func `no limit can be raised`() { expect("raise-limit", .refused("EPERM")) }

    @Test func `changing its own priority kills the process`() { expect("renice", .killed(SIGSYS)) }

    @Test func `no more descriptors than the limit can be opened`() { expect("descriptors", .refused("EMFILE")) }

    @Test func `no more memory than the limit can be allocated`() { expect("too-much-memory", .refused("ENOMEM")) }

    @Test(arguments: [
        "growing-mapping", "locked-mapping", "shared-mapping", "shared-file", "mapping-over-another", "memory-file",
        "move-mapping-over-another",
    ])
    func `memory that does not count cannot be mapped`(attempt: String) { expect(attempt, .refused("EPERM")) }

    @Test func `memory cannot be made read-only, since it would no longer count`() {
        expect("read-only-afterwards", .refused("EACCES"))
    }

    @Test func `advice that changes mappings is refused`() { expect("advise-sequential-access", .refused("EINVAL")) }

    @Test(arguments: ["too-much-hidden-memory", "too-large-stack", "too-many-page-tables"])
    func `memory that does not count is bounded by the address space`(attempt: String) {
        expect(attempt, .refused("ENOMEM"))
        expect(attempt, .refused("ENOMEM"), behind: .limits)
    }

    @Test func `a connected socket cannot send to another address`() { expect("send-to-address", .refused("EPERM")) }

    @Test func `locks that inherit priorities are refused`() { expect("inherit-priority", .refused("ENOSYS")) }

    @Test func `the processor time of another process cannot be read`() {
        expect("clock-of-parent", .refused("EINVAL"))
    }

    /// Without the sandbox, many of these fail or change the machine, so they are not tried there.
    @Test(arguments: [
        // Privileges, namespaces, and other processes.
        "unshare", "setns", "chroot", "mount", "personality", "seccomp", "capset", "setuid", "process_vm_writev",
        "kcmp",
        "pidfd_getfd", "process_madvise", "rt_sigqueueinfo", "timer_create", "sched_setaffinity", "sched_setattr",
        // Large parts of the kernel.
        "bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "add_key", "keyctl",
        // Memory that does not count.
        "memfd_secret", "shmget", "mlock", "mlockall", "remap_file_pages", "splice", "vmsplice",
        // Files that are shared with the server.
        "sendfile", "copy_file_range", "fallocate", "fchmod", "fchown", "fsetxattr", "flock", "utimensat",
        "inotify_init1", "name_to_handle_at", "open_by_handle_at",
        // Descriptors.
        "eventfd2", "pipe2", "epoll_create1", "socketpair", "setsockopt", "shutdown",
    ])
    func `a call that only an attacker would make kills the process`(call: String) {
        #expect(Probe.outcome(of: call) == .killed(SIGSYS))
    }
}
