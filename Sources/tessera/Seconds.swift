import ArgumentParser

/// A time as people write it: `10`, `0.5`. More than nothing, and at most a day.
struct Seconds: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    private static let longest = 86_400.0

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0.001, seconds <= Self.longest else { return nil }
        duration = .seconds(seconds)
    }

    var description: String { "\(duration)" }
}
