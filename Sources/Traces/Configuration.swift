import Encodings
import Glibc
import HTTPTypes

/// Where traces are sent, and which ones, as set by OpenTelemetry's standard variables (OpenTelemetry specification,
/// "Environment Variable Specification" and "OTLP Exporter Configuration").
public struct Configuration: Hashable, Sendable {
    /// The URL to which spans are posted.
    public var endpoint: String
    /// Sent with each post, for instance to authenticate with the collector.
    public var headers: [String: String] = [:]
    /// A PEM file of certificate authorities for the collector; nil for the system's.
    public var certificateAuthorities: String?
    /// Attributes of all spans: `service.name` and the like.
    public var resource: [String: String] = ["service.name": "tessera"]
    /// Which traces are recorded.
    public var sampling = Sampling()
    /// How long a span may wait for others to share its post.
    public var delay: Duration = .seconds(5)
    /// The maximum number of spans in one post.
    public var batch = 512
    /// The maximum number of waiting spans; further ones are dropped.
    public var maximumWaiting = 2_048
    /// The timeout of one post, including its retries.
    public var timeout: Duration = .seconds(10)

    public init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The endpoint without the query, which may contain secrets.
    var loggableEndpoint: String { String(endpoint.prefix { $0 != "?" }) }

    /// An invalid variable.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The name of the variable.
        public let variable: String
        /// What is wrong with its value.
        public let problem: String

        public var description: String { "\(variable): \(problem)." }
    }

    /// Nil if traces are not configured. They are sent if an endpoint is named, or if `OTEL_TRACES_EXPORTER` is
    /// `otlp`.
    public init?(environment: [String: String]) throws(Invalid) {
        let variables = Variables(environment)
        if variables["OTEL_SDK_DISABLED"]?.lowercased() == "true" { return nil }
        let exporter = variables["OTEL_TRACES_EXPORTER"]
        guard exporter == nil || exporter == "otlp" || exporter == "none" else {
            throw Invalid(
                variable: "OTEL_TRACES_EXPORTER", problem: "\(exporter ?? "") is not supported; write otlp or none")
        }
        guard exporter != "none", let endpoint = try variables.endpoint(isWanted: exporter == "otlp") else {
            return nil
        }
        self.init(endpoint: endpoint)
        try variables.checkProtocol()
        headers = try variables.pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS", or: "OTEL_EXPORTER_OTLP_HEADERS")
        certificateAuthorities = try variables.certificateAuthorities()
        resource.merge(try variables.pairs("OTEL_RESOURCE_ATTRIBUTES")) { $1 }
        if let name = variables["OTEL_SERVICE_NAME"] { resource["service.name"] = name }
        sampling = try variables.sampling()
        if let wait = try variables.milliseconds("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", or: "OTEL_EXPORTER_OTLP_TIMEOUT")
        {
            timeout = wait
        }
        if let wait = try variables.milliseconds("OTEL_BSP_SCHEDULE_DELAY") { delay = wait }
        if let count = try variables.count("OTEL_BSP_MAX_QUEUE_SIZE") { maximumWaiting = count }
        if let count = try variables.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") { batch = count }
        batch = min(batch, maximumWaiting)
    }
}

/// Reads OpenTelemetry's variables. Empty ones count as unset.
private struct Variables {
    typealias Invalid = Configuration.Invalid

    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(_ name: String) -> String? {
        environment[name].map { $0.trimming(" \t") }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The first variable that is set, with its name.
    private func first(_ names: [String]) -> (name: String, text: String)? {
        for name in names { if let text = self[name] { return (name, text) } }
        return nil
    }

    func endpoint(isWanted: Bool) throws(Invalid) -> String? {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
        guard let (name, text) = first(names) else { return isWanted ? "http://localhost:4318/v1/traces" : nil }
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
            throw Invalid(variable: name, problem: "it is not a URL such as http://collector:4318")
        }
        guard !text.contains("@") else {
            throw Invalid(variable: name, problem: "credentials are not allowed here; set OTEL_EXPORTER_OTLP_HEADERS")
        }
        // The general endpoint is a base URL for all signals; traces have a path of their own beneath it.
        guard name == names[1] else { return text }
        return text + (text.hasSuffix("/") ? "" : "/") + "v1/traces"
    }

    func checkProtocol() throws(Invalid) {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]
        // A collector that accepts one encoding accepts the other at the same URL (OTLP specification, "OTLP/HTTP").
        guard let (name, text) = first(names), text != "http/json", text != "http/protobuf" else { return }
        throw Invalid(
            variable: name,
            problem: "\(text) is not supported; write http/json and the collector's HTTP port, usually 4318")
    }

    func certificateAuthorities() throws(Invalid) -> String? {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"]
        guard let (name, path) = first(names) else { return nil }
        guard access(path, R_OK) == 0 else { throw Invalid(variable: name, problem: "\(path) cannot be read") }
        return path
    }

    func sampling() throws(Invalid) -> Sampling {
        let name = self["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on"
        let follows = name.hasPrefix("parentbased_")
        switch follows ? String(name.dropFirst("parentbased_".count)) : name {
        case "always_on": return Sampling(ratio: 1, followsParent: follows)
        case "always_off": return Sampling(ratio: 0, followsParent: follows)
        case "traceidratio":
            guard let text = self["OTEL_TRACES_SAMPLER_ARG"] else { return Sampling(ratio: 1, followsParent: follows) }
            guard let ratio = Double(text), (0...1).contains(ratio) else {
                throw Invalid(variable: "OTEL_TRACES_SAMPLER_ARG", problem: "\(text) is not a number from 0 to 1")
            }
            return Sampling(ratio: ratio, followsParent: follows)
        default:
            throw Invalid(
                variable: "OTEL_TRACES_SAMPLER",
                problem:
                    "\(name) is not supported; write always_on, always_off or traceidratio, optionally after parentbased_"
            )
        }
    }

    func milliseconds(_ names: String..., or last: String? = nil) throws(Invalid) -> Duration? {
        guard let (name, text) = first(names + (last.map { [$0] } ?? [])) else { return nil }
        guard let number = Int(text), (1...3_600_000).contains(number) else {
            throw Invalid(variable: name, problem: "\(text) is not a number of milliseconds from 1 to 3600000")
        }
        return .milliseconds(number)
    }

    func count(_ name: String) throws(Invalid) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (1...65_536).contains(number) else {
            throw Invalid(variable: name, problem: "\(text) is not a number from 1 to 65536")
        }
        return number
    }

    /// Parses `name=value,name=value` with percent-encoded values (W3C Baggage §3.3.1); decoded values must be
    /// printable ASCII.
    func pairs(_ names: String..., or last: String? = nil) throws(Invalid) -> [String: String] {
        guard let (name, text) = first(names + (last.map { [$0] } ?? [])) else { return [:] }
        var pairs: [String: String] = [:]
        for part in text.split(separator: ",") {
            let end = part.firstIndex(of: "=") ?? part.endIndex
            let key = part[..<end].trimming(" \t")
            guard end < part.endIndex, HTTPField.Name(key) != nil,
                let value = PercentEncoding.decode(part[part.index(after: end)...].trimming(" \t").utf8),
                value.utf8.allSatisfy({ (0x20..<0x7f).contains($0) })
            else {
                // The value may be a secret, so the message does not repeat it.
                throw Invalid(variable: name, problem: "it is not a list such as name=value,name=value")
            }
            pairs[key] = value
        }
        return pairs
    }
}

extension StringProtocol {
    fileprivate func trimming(_ characters: String) -> String {
        var rest = Substring(self)
        while let first = rest.first, characters.contains(first) { rest.removeFirst() }
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
