import EventLoops

/// Writes Prometheus' text exposition format, version 0.0.4.
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// What only grows while the process lives.
    mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        write("counter", name, help, "\(value)")
    }

    /// What goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        write("gauge", name, help, "\(value)")
    }

    /// A time that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ time: Duration) {
        write("gauge", name, help, "\(time / .seconds(1))")
    }

    /// The figures of one room, each under its own name; what is not named as a gauge only grows.
    mutating func figures(of room: String, _ values: [String: Int], gauges: Set<String>) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let kind = gauges.contains(name) ? "gauge" : "counter"
            write(kind, room + "_" + snakeCase(name), "\(name), as in the status of the API.", "\(value)")
        }
    }

    /// Turns of event loops, in seconds.
    mutating func histogram(_ name: String, _ help: String, _ turns: TurnTimes) {
        text += "# HELP tessera_\(name) \(help)\n# TYPE tessera_\(name) histogram\n"
        var sum: UInt64 = 0
        for (bound, count) in zip(TurnTimes.bounds, turns.counts) {
            sum += count
            text += "tessera_\(name)_bucket{le=\"\(Double(bound) / 1e6)\"} \(sum)\n"
        }
        sum += turns.counts.last ?? 0
        text += "tessera_\(name)_bucket{le=\"+Inf\"} \(sum)\n"
        text += "tessera_\(name)_sum \(Double(turns.total) / 1e9)\ntessera_\(name)_count \(sum)\n"
    }

    private mutating func write(_ kind: String, _ name: String, _ help: String, _ value: String) {
        let name = kind == "counter" ? "tessera_\(name)_total" : "tessera_\(name)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(name) \(value)\n"
    }

    private func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
