import Glibc
import Testing

/// What the sandbox allows, because drawing needs it.
@Suite(.timeLimit(.minutes(1))) struct PermissionTests {
    @Test(arguments: [
        "thread", "many-threads-in-turn", "some-memory", "grow-memory", "send-and-receive", "read-limit", "own-clock",
        "duplicate", "read-ahead", "read-for-drawing", "status-for-drawing", "status-of-descriptor",
    ])
    func `operations that drawing needs are allowed`(attempt: String) {
        #expect(Probe.outcome(of: attempt) == .allowed)
    }

    @Test func `listing a folder of fonts may be denied but does not kill the process`() {
        let outcome = Probe.outcome(of: "list-for-drawing")
        #expect(outcome == .allowed || outcome == .refused("EACCES"))
    }

    /// So that a failed assertion is recognizable.
    @Test func `a process may abort itself`() { #expect(Probe.outcome(of: "abort") == .killed(SIGABRT)) }
}
