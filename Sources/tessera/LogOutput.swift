import Logging

/// The log goes to standard error, so that standard output contains only the server's address.
enum LogOutput {
    /// Call once, before creating the first logger.
    static func start(level: Logger.Level) {
        StandardStreams.keepOpen()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return OneLineLog(handler)
        }
    }
}

/// Writes each event as one line of plain text. The log contains file names and texts from origins: a line break in
/// one would start a line that looks like a log line, and other control characters would control the terminal.
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
        func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: text.unicodeScalars.lazy.map { isUnprintable($0) ? "\u{fffd}" : $0 })
        return String(plain)
    }
}
