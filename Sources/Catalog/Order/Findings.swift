/// What was counted in a view as a whole.
struct Findings: Sendable {
    var timeline: Timeline?
    var shape: Shape?
    /// Images in each folder itself.
    var folders: [String: Int]?

    /// What it was counted in: another order, or other facts, give another count.
    struct Moment: Hashable, Sendable {
        let revision: UInt64
        let generations: [UInt64]

        init(of order: Order, _ generations: [UInt64]) {
            revision = order.revision
            self.generations = generations
        }
    }
}

/// What was counted in the views that were asked for lately.
struct FindingsBook: Sendable {
    /// How many views are kept; then all are let go, for it costs little to begin anew.
    private static let capacity = 16

    private var entries: [View: (moment: Findings.Moment, findings: Findings)] = [:]

    /// What is known of the view at this moment.
    subscript(view: View, moment: Findings.Moment) -> Findings {
        entries[view].flatMap { $0.moment == moment ? $0.findings : nil } ?? Findings()
    }

    mutating func keep<Value>(
        _ value: Value, as path: WritableKeyPath<Findings, Value?>, of view: View, _ moment: Findings.Moment
    ) {
        var findings = self[view, moment]
        findings[keyPath: path] = value
        if entries.count >= Self.capacity, entries[view] == nil { entries.removeAll() }
        entries[view] = (moment, findings)
    }
}
