import Logging

/// The log goes to standard error, so that standard output has nothing but the address.
enum LogOutput {
    /// Once, before the first logger is made.
    static func start(level: Logger.Level) {
        StandardStreams.keepOpen()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return OneLineLog(handler)
        }
    }
}

/// Each event is one line of plain text. Names of files and words of origins get into the log, and a line end in one
/// would begin a line that looks like the log's own; other control characters command the terminal that shows it.
private struct OneLineLog: LogHandler {
    private var inner: StreamLogHandler

    init(_ inner: StreamLogHandler) {
        self.inner = inner
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = Self.plain(newValue) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue.map { .string(Self.plain("\($0)")) } }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Self.plain(event.message.description))"
        event.metadata = event.metadata.map(Self.plain)
        inner.log(event: event)
    }

    private static func plain(_ metadata: Logger.Metadata) -> Logger.Metadata {
        metadata.mapValues { .string(plain("\($0)")) }
    }

    private static func plain(_ text: String) -> String {
        func isOdd(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isOdd) else { return text }
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: text.unicodeScalars.lazy.map { isOdd($0) ? "\u{fffd}" : $0 })
        return String(plain)
    }
}
