import EventLoops
import HTTPServer
import Metrics

/// Writes Prometheus's text exposition format, version 0.0.4.
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// A value that only grows while the process lives.
    mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        write(.counter, name, help, "\(value)")
    }

    /// A value that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        write(.gauge, name, help, "\(value)")
    }

    /// A duration that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ time: Duration) {
        write(.gauge, name, help, "\(time / .seconds(1))")
    }

    /// A constant 1 whose labels carry the information.
    mutating func info(_ name: String, _ help: String, labels: KeyValuePairs<String, String>) {
        let name = "tessera_\(name)"
        describe(name, .gauge, help)
        text += "\(name){\(Self.labels(labels))} 1\n"
    }

    private static func escaped(_ label: String) -> String {
        label.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : $1.isNewline ? "\\n" : String($1) }
    }

    /// The metrics that every Prometheus client library has, under the names that dashboards for all programs expect.
    mutating func process(_ process: ProcessReading) {
        let rows: [(name: String, kind: MetricKind, help: String, value: String)] = [
            (
                "cpu_seconds_total", .counter, "User and system CPU time of the server, without its render workers.",
                "\(process.cpu)"
            ),
            (
                "resident_memory_bytes", .gauge, "Memory of the server, without its render workers.",
                "\(process.resident)"
            ),
            ("virtual_memory_bytes", .gauge, "Address space of the server.", "\(process.virtual)"),
            ("open_fds", .gauge, "Open file descriptors.", "\(process.descriptors)"),
            ("max_fds", .gauge, "File descriptors that may be open.", "\(process.maximumDescriptors)"),
            ("start_time_seconds", .gauge, "When the server was started, in seconds since 1970.", "\(process.started)"),
        ]
        for row in rows {
            text += "# HELP process_\(row.name) \(row.help)\n# TYPE process_\(row.name) \(row.kind.rawValue)\n"
            text += "process_\(row.name) \(row.value)\n"
        }
    }

    /// The metrics of one module, with its name as a prefix.
    mutating func readings(of module: String, _ readings: [MetricReading]) {
        for reading in readings {
            write(reading.kind, module + "_" + snakeCase(reading.name), reading.help, "\(reading.value)")
        }
    }

    /// Requests by route, method, and status, and the response latency of each route.
    mutating func requests(_ requests: RequestStatistics) {
        describe("tessera_http_requests_total", .counter, "HTTP requests by route pattern, method, and status.")
        let rows = requests.counts.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
        for (series, count) in rows {
            let labels = Self.labels(["route": series.route, "method": series.method, "status": "\(series.status)"])
            text += "tessera_http_requests_total{\(labels)} \(count)\n"
        }
        let name = "tessera_http_response_seconds"
        describe(
            name, .histogram, "Response latency: the time from a request's head to that of its response, in seconds.")
        for (route, latencies) in requests.latencies.sorted(by: { $0.key < $1.key }) {
            histogram(
                name, labels: Self.labels(["route": route]), bounds: RequestStatistics.bounds, latencies.counts,
                total: latencies.total)
        }
    }

    /// How long event loop iterations took.
    mutating func callbacks(_ turns: CallbackTimes) {
        let name = "tessera_loop_callback_seconds"
        describe(name, .histogram, "How long each callback kept its event loop.")
        histogram(
            name, labels: "", bounds: CallbackTimes.bounds.map { Double($0) / 1e6 }, turns.counts,
            total: Double(turns.total) / 1e9)
    }

    /// - Parameter counts: The number of values in each bucket; the last one has no upper bound.
    private mutating func histogram(
        _ name: String, labels: String, bounds: [Double], _ counts: [UInt64], total: Double
    ) {
        var sum: UInt64 = 0
        let separator = labels.isEmpty ? "" : ","
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
            sum += count
            text += "\(name)_bucket{\(labels)\(separator)le=\"\(bound)\"} \(sum)\n"
        }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(braces) \(total)\n\(name)_count\(braces) \(sum)\n"
    }

    private mutating func describe(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private enum Kind: String { case counter, gauge, histogram }

    private static func labels(_ labels: KeyValuePairs<String, String>) -> String {
        labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
    }

    private mutating func write(_ kind: MetricKind, _ name: String, _ help: String, _ value: String) {
        let name = kind == .counter ? "tessera_\(name)_total" : "tessera_\(name)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(name) \(value)\n"
    }

    private func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
