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
