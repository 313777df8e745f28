import Testing

/// A decoder that is refused memory may carry on; the watch knows.
@Suite(.timeLimit(.minutes(1))) struct MemoryWatchTests {
    @Test func `memory that is refused to a shared library is told`() {
        #expect(Probe.outcome(of: "too-much-memory-for-a-library") == .other("told", 0))
    }
}
