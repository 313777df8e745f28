import ArgumentParser

/// A duration in seconds: `10`, `0.5`. From one millisecond to a day.
struct Seconds: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    private static let maximum = 86_400.0

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0.001, seconds <= Self.maximum else { return nil }
        duration = .seconds(seconds)
    }

    var description: String { "\(duration)" }
}
