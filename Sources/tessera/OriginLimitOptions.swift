import ArgumentParser
import Origins

/// Timeouts of fetches from origins. When one expires, the fetch fails and the picture's slot says so.
struct OriginLimitOptions: ParsableArguments {
    @Option(
        name: .customLong("origin-connect-timeout"),
        help: ArgumentHelp(
            "The connection timeout for an origin. (TESSERA_ORIGIN_CONNECT_TIMEOUT; 10)",
            valueName: "seconds"))
    var connect: Seconds?

    @Option(
        name: .customLong("origin-first-byte-timeout"),
        help: ArgumentHelp(
            "The timeout for an origin's response head, with the connection. (TESSERA_ORIGIN_FIRST_BYTE_TIMEOUT; 20)",
            valueName: "seconds"))
    var firstByte: Seconds?

    @Option(
        name: .customLong("origin-progress-timeout"),
        help: ArgumentHelp(
            "How long a body may stall. (TESSERA_ORIGIN_PROGRESS_TIMEOUT; 15)",
            valueName: "seconds"))
    var progress: Seconds?

    @Option(
        name: .customLong("origin-timeout"),
        help: ArgumentHelp(
            "The total time for one fetch, including retries and redirects. (TESSERA_ORIGIN_TIMEOUT; 120)",
            valueName: "seconds"))
    var all: Seconds?

    /// - Throws: `ValidationError` for a variable of the environment that cannot be parsed.
    func apply(to origins: inout Origins.Configuration) throws {
        if let limit = try connect ?? Environment.value("origin-connect-timeout") {
            origins.connectTimeout = limit.duration
        }
        if let limit = try firstByte ?? Environment.value("origin-first-byte-timeout") {
            origins.firstByteTimeout = limit.duration
        }
        if let limit = try progress ?? Environment.value("origin-progress-timeout") {
            origins.lowSpeedWindow = limit.duration
        }
        if let limit = try all ?? Environment.value("origin-timeout") { origins.totalTimeout = limit.duration }
    }
}
