import Glibc
import Logging
import Time

/// The log goes to standard error, so that standard output contains only the server's address.
enum LogOutput {
    /// The access log's label. Its lines are written regardless of the log level.
    static let accessLabel = "tessera.access"

    /// Call once, before creating the first logger.
    static func start(level: Logger.Level, format: LogFormat) {
        StandardStreams.keepOpen()
        LoggingSystem.bootstrap { label in
            LineLog(label: label, format: format, logLevel: label == accessLabel ? .info : level)
        }
    }
}

/// Writes each event as one line.
private struct LineLog: LogHandler {
    let label: String
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if let dropped = LogWriter.shared.takeDropped() {
            write(
                .warning, "Log events were dropped because nothing was reading standard error.", ["count": "\(dropped)"]
            )
        }
        write(event.level, event.message.description, metadata.merging(event.metadata ?? [:]) { $1 })
    }

    private func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        LogWriter.shared.write(
            format.line(
                time: Self.now(), level: level, label: label, message: message,
                metadata: metadata.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }))
    }

    /// The present time in UTC with milliseconds, in RFC 3339's format.
    private static func now() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let day = CivilDay(ofSecond: Int64(time.tv_sec))
        let second = Int64(time.tv_sec) - day.firstSecond
        let date = "\(day.year.padded(4))-\(day.month.padded())-\(day.day.padded())"
        let clock = "\((second / 3_600).padded()):\((second / 60 % 60).padded()):\((second % 60).padded())"
        return "\(date)T\(clock).\((time.tv_nsec / 1_000_000).padded(3))Z"
    }
}
