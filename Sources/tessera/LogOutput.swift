import Logging

/// The log goes to standard error, so that standard output has nothing but the address.
enum LogOutput {
    /// Once, before the first logger is made.
    static func start(level: Logger.Level) {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
