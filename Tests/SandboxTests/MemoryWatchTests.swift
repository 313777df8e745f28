import Testing

/// A decoder may carry on after a failed allocation; the memory watch notices.
@Suite(.timeLimit(.minutes(1))) struct MemoryWatchTests {
    @Test func `memory refused to a shared library is reported`() {
        #expect(Probe.outcome(of: "too-much-memory-for-a-library") == .other("told", 0))
    }

    /// What another client's picture has left there must never be taken for pixels.
    @Test func `memory is clear when a shared library gets it`() {
        #expect(Probe.outcome(of: "memory-of-another-picture") == .other("cleared", 0))
    }
}
