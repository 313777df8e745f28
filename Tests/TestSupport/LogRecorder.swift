import Locking
public import Logging

/// Keeps what a logger is told: every line at or above a level, with its metadata.
public final class LogRecorder: Sendable {
    private let kept = Guarded<[String]>([])
    private let level: Logger.Level

    public init(from level: Logger.Level = .warning) { self.level = level }

    public var lines: [String] { kept.withLock(\.self) }

    /// A logger whose lines are recorded here.
    public var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self, logLevel: self.level) } }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            recorder.kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
