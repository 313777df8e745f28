import Glibc
import Testing

/// What the sandbox takes away. Each attempt is made without it too: one that fails anyway would show nothing.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private func expect(
        _ attempt: String, _ outcome: Probe.Outcome, behind walls: Probe.Walls = .all,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Probe.outcome(of: attempt, behind: walls) == outcome, "\(attempt)", sourceLocation: sourceLocation)
        #expect(Probe.outcome(of: attempt, behind: .none) == .allowed, "\(attempt)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["internet-socket", "unix-socket", "socket-of-older-thread", "connect"])
    func `making or connecting a socket is death`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["exec", "fork", "spawn"])
    func `starting a program or a process is death`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["trace", "read-own-memory-as-another", "hold-parent"])
    func `reaching into a process is death`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test(arguments: ["is-parent-alive", "signal-parent"])
    func `signalling the parent is death`(attempt: String) { expect(attempt, .killed(SIGSYS)) }

    @Test func `a thread of another process cannot be signalled`() {
        expect("signal-thread-of-parent", .refused("EPERM"))
    }

    @Test(.enabled(if: Probe.kernelHasLandlock), arguments: ["read-outside", "read-environment"])
    func `files that drawing does not need cannot be read`(attempt: String) {
        expect(attempt, .refused("EACCES"))
        expect(attempt, .refused("EACCES"), behind: .files)
    }

    /// The other thread would keep every file.
    @Test func `files cannot be confined while there is another thread`() {
        #expect(Probe.outcome(of: "confine-files-beside-a-thread", behind: .none) == .refused("EBUSY"))
    }

    @Test(arguments: ["write", "read-and-write", "truncate", "create", "unlink", "make-directory"])
    func `no file can be written, made or removed, with Landlock or without`(attempt: String) {
        expect(attempt, .refused("EACCES"))
        expect(attempt, .refused("EACCES"), behind: .calls)
    }

    @Test func `a file that was given is written, and not beyond its length`() {
        #expect(Probe.outcome(of: "write-what-was-given") == .allowed)
        expect("fill-what-was-given", .refused("EFBIG"))
    }

    @Test func `renaming a file is death`() { expect("rename", .killed(SIGSYS)) }

    @Test(arguments: ["executable-mapping", "executable-afterwards"])
    func `no memory becomes executable`(attempt: String) { expect(attempt, .refused("EACCES")) }

    @Test func `no limit can be raised`() { expect("raise-limit", .refused("EPERM")) }

    @Test func `changing its own priority is death`() { expect("renice", .killed(SIGSYS)) }

    @Test func `more descriptors than its share cannot be opened`() { expect("descriptors", .refused("EMFILE")) }

    @Test func `memory beyond the limit is refused`() { expect("too-much-memory", .refused("ENOMEM")) }

    @Test func `a socket that is connected sends to nobody else`() { expect("send-to-address", .refused("EPERM")) }

    /// Without the sandbox, some machines refuse these as well.
    @Test func `a ring of the kernel that makes calls unseen is death`() {
        #expect(Probe.outcome(of: "kernel-ring") == .killed(SIGSYS))
    }
}
