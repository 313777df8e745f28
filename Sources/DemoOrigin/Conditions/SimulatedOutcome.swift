/// What happens to one request. It depends only on the seed, the number and the attempt, so that runs can be repeated
/// while a retry may still succeed.
struct SimulatedOutcome: Hashable, Sendable {
    enum Accident: Hashable, Sendable, CaseIterable {
        case serverError
        case unavailable
        /// The connection is cut before the body.
        case cut
        /// The connection is cut within the body.
        case truncated
    }

    enum Outcome: Hashable, Sendable {
        case picture
        case accident(Accident)
        case hang
    }

    /// In milliseconds.
    let latency: Double
    let outcome: Outcome

    init(number: Int, attempt: Int, seed: UInt64, conditions: DemoOrigin.Conditions) {
        var random = RandomNumbers(seed, UInt64(bitPattern: Int64(number)), UInt64(bitPattern: Int64(attempt)), 3)
        latency = conditions.latency * (1 + conditions.jitter * Double(2 * random.unit() - 1))
        let chance = Double(random.unit())
        let kind = Int(random.next() % UInt64(Accident.allCases.count))
        if chance < conditions.hang {
            outcome = .hang
        } else if chance < conditions.hang + conditions.fail {
            outcome = .accident(Accident.allCases[kind])
        } else {
            outcome = .picture
        }
    }
}
