/// How a value changes, in Prometheus's terms. The raw value is the metric's type in Prometheus's text format.
public enum MetricKind: String, Sendable {
    /// Only grows while the process lives.
    case counter
    /// Goes up and down.
    case gauge
}

/// One metric of a module.
public struct Metric<Statistics>: Sendable {
    /// The name in camel case, as in `/api/v1/status`. Prometheus gets it in snake case, with the module as a prefix.
    public let name: String
    /// Whether it is a counter or a gauge.
    public let kind: MetricKind
    /// One sentence for operators: what is counted, in which unit, and what to do about it if anything can be done.
    public let help: String
    /// Reads the value; must neither block nor fail.
    public let value: @Sendable (Statistics) -> Int

    /// A metric that only grows while the process lives.
    public static func counter(
        _ name: String, _ help: String, _ value: @escaping @Sendable (Statistics) -> Int
    ) -> Metric {
        Metric(name: name, kind: .counter, help: help, value: value)
    }

    /// A metric that goes up and down.
    public static func gauge(
        _ name: String, _ help: String, _ value: @escaping @Sendable (Statistics) -> Int
    ) -> Metric {
        Metric(name: name, kind: .gauge, help: help, value: value)
    }
}

/// Statistics that are published as metrics.
public protocol MetricsReporting: Sendable {
    /// Every published figure. Names are unique within the list.
    static var metrics: [Metric<Self>] { get }
}

extension MetricsReporting {
    /// The present values of all metrics, in the sequence of the list.
    public var readings: [MetricReading] {
        Self.metrics.map {
            MetricReading(name: $0.name, kind: $0.kind, help: $0.help, value: $0.value(self))
        }
    }
}

/// The value of one metric at one moment.
public struct MetricReading: Hashable, Sendable {
    public let name: String
    public let kind: MetricKind
    public let help: String
    public let value: Int

    public init(name: String, kind: MetricKind, help: String, value: Int) {
        self.name = name
        self.kind = kind
        self.help = help
        self.value = value
    }
}

extension Sequence<MetricReading> {
    /// The values by name, for `/api/v1/status`.
    public var valuesByName: [String: Int] { Dictionary(uniqueKeysWithValues: map { ($0.name, $0.value) }) }
}
