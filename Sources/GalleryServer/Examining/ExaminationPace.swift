import Dispatch

/// How soon what could not be looked into is tried again, later after each time in a row: a disk that is away is not asked
/// for ever in haste.
struct ExaminationPace: Sendable {
    var first: Duration = .seconds(60)
    var longest: Duration = .seconds(3_600)
    /// How soon it is asked again whether the sources have been read to their end.
    var settling: Duration = .seconds(2)
    /// How long it waits for the sources to be read to their end before it goes on beside that: names are what people wait
    /// for first.
    var patience: Duration = .seconds(30)
    /// How soon it looks whether they have been.
    var looking: Duration = .milliseconds(200)
    /// How soon it looks again at files that another node looks into.
    var lookingElsewhere: Duration = .seconds(1)

    /// - Parameter failures: how many there were in a row, at least 1.
    func delay(after failures: Int) -> Duration {
        min(longest, first * (1 << min(20, max(0, failures - 1))))
    }
}

extension Duration {
    var dispatched: DispatchTimeInterval {
        let parts = components
        return .nanoseconds(Int(clamping: parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
    }
}
