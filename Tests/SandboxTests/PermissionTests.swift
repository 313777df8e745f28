import Glibc
import Testing

/// What the sandbox leaves: drawing needs it.
@Suite(.timeLimit(.minutes(1))) struct PermissionTests {
    @Test(arguments: ["thread", "some-memory", "send-and-receive", "read-limit", "read-for-drawing"])
    func `what drawing needs is allowed`(attempt: String) { #expect(Probe.outcome(of: attempt) == .allowed) }

    @Test func `a folder of fonts may refuse its list but not kill`() {
        let outcome = Probe.outcome(of: "list-for-drawing")
        #expect(outcome == .allowed || outcome == .refused("EACCES"))
    }

    /// So that a failed assertion looks like one.
    @Test func `a process may abort itself`() { #expect(Probe.outcome(of: "abort") == .killed(SIGABRT)) }
}
