import Testing

@testable import Origins

@Suite struct CircuitTests {
    private let start = ContinuousClock.now

    private func opened() -> Circuit {
        var circuit = Circuit(threshold: 3, suspension: .seconds(5))
        for _ in 0..<3 { _ = circuit.failed(now: start) }
        return circuit
    }

    @Test func `it opens at the last of so many failures in a row`() {
        var circuit = Circuit(threshold: 3, suspension: .seconds(5))
        #expect(circuit.failed(now: start) == false)
        #expect(circuit.failed(now: start) == false)
        circuit.answered()
        #expect(circuit.failed(now: start) == false)
        #expect(circuit.failed(now: start) == false)
        #expect(circuit.mayAsk(now: start) == .ask)
        #expect(circuit.failed(now: start) == true)
        #expect(circuit.mayAsk(now: start) == .suspended(.seconds(5)))
    }

    @Test func `after the wait one may ask, and its answer closes it`() {
        var circuit = opened()
        let later = start + .seconds(5)
        #expect(circuit.mayAsk(now: later) == .ask)
        #expect(circuit.mayAsk(now: later) == .probing)
        circuit.answered()
        #expect(circuit.mayAsk(now: later) == .ask)
        #expect(circuit.isPristine)
    }

    @Test func `a failed probe doubles the wait, up to eight times`() {
        var circuit = opened()
        var now = start
        for wait in [5, 10, 20, 40, 40] {
            #expect(circuit.suspension(now: now) == .seconds(wait))
            now = now + .seconds(wait)
            #expect(circuit.mayAsk(now: now) == .ask)
            #expect(circuit.failed(now: now) == true)
        }
    }

    @Test func `where the wait does not double, each is as long as the first`() {
        var circuit = Circuit(threshold: 1, suspension: .seconds(2), doublings: 0)
        var now = start
        for _ in 0..<5 {
            #expect(circuit.failed(now: now) == true)
            #expect(circuit.suspension(now: now) == .seconds(2))
            now = now + .seconds(2)
            #expect(circuit.mayAsk(now: now) == .ask)
        }
    }

    @Test func `an abandoned probe leaves the next one to try`() {
        var circuit = opened()
        let later = start + .seconds(6)
        #expect(circuit.mayAsk(now: later) == .ask)
        circuit.abandonedProbe(now: later)
        #expect(circuit.mayAsk(now: later) == .ask)
    }
}
