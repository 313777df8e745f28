/// The maximum of a recent window, in three samples: Kathleen Nichols' windowed filter, as in Linux's `win_minmax.c`.
/// Without new values the last maximum stays.
struct WindowedMaximum: Sendable {
    private struct Sample: Sendable {
        var value: Double
        /// In seconds.
        var moment: Double
    }

    /// In seconds.
    let window: Double
    /// The greatest value, and the greatest after each.
    private var samples: [3 of Sample]?

    init(window: Double) { self.window = window }

    var value: Double? { samples?[0].value }

    /// - Parameter moment: in seconds; never decreases.
    mutating func add(_ value: Double, at moment: Double) {
        let sample = Sample(value: value, moment: moment)
        guard var found = samples, value < found[0].value, moment - found[2].moment <= window else {
            samples = [sample, sample, sample]
            return
        }
        if value >= found[1].value {
            found[1] = sample
            found[2] = sample
        } else if value >= found[2].value {
            found[2] = sample
        }
        let age = moment - found[0].moment
        if age > window {
            found[0] = found[1]
            found[1] = found[2]
            found[2] = sample
            if moment - found[0].moment > window {
                found[0] = found[1]
                found[1] = found[2]
            }
        } else if found[1].moment == found[0].moment, age > window / 4 {
            found[1] = sample
            found[2] = sample
        } else if found[2].moment == found[1].moment, age > window / 2 {
            found[2] = sample
        }
        samples = found
    }
}
