import EventLoops
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
        let labels = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        let name = "tessera_\(name)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name){\(labels)} 1\n"
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

    /// A histogram of event loop iterations, in seconds.
    mutating func histogram(_ name: String, _ help: String, _ turns: CallbackTimes) {
        text += "# HELP tessera_\(name) \(help)\n# TYPE tessera_\(name) histogram\n"
        var sum: UInt64 = 0
        for (bound, count) in zip(CallbackTimes.bounds, turns.counts) {
            sum += count
            text += "tessera_\(name)_bucket{le=\"\(Double(bound) / 1e6)\"} \(sum)\n"
        }
        sum += turns.counts.last ?? 0
        text += "tessera_\(name)_bucket{le=\"+Inf\"} \(sum)\n"
        text += "tessera_\(name)_sum \(Double(turns.total) / 1e9)\ntessera_\(name)_count \(sum)\n"
    }

    private mutating func write(_ kind: MetricKind, _ name: String, _ help: String, _ value: String) {
        let name = kind == .counter ? "tessera_\(name)_total" : "tessera_\(name)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(name) \(value)\n"
    }

    private func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
