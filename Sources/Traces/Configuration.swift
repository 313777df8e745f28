import Addresses
import Glibc
import HTTPTypes

/// Where traces are sent, and which: by the variables that OpenTelemetry gives to all programs (OpenTelemetry
/// specification, "Environment Variable Specification" and "OTLP Exporter Configuration").
public struct Configuration: Hashable, Sendable {
    /// Where spans are posted to.
    public var endpoint: String
    /// Sent with each post: what a collector knows its own by.
    public var headers: [String: String] = [:]
    /// A file with the certificates, in PEM, of who vouches for the collector; the system's own where this is nil.
    public var certificateAuthorities: String?
    /// What is said of all spans: `service.name` and the like.
    public var resource: [String: String] = ["service.name": "tessera"]
    public var sampling = Sampling()
    /// How long a span may wait for others.
    public var delay: Duration = .seconds(5)
    /// Spans in one post.
    public var batch = 512
    /// Spans that wait at most; those beyond are dropped.
    public var mostWaiting = 2_048
    /// One post, with its retries.
    public var timeout: Duration = .seconds(10)

    public init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The collector without what may be secret in its URL.
    var loggableEndpoint: String { String(endpoint.prefix { $0 != "?" }) }

    /// A variable that cannot be followed.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let variable: String
        public let problem: String

        public var description: String { "\(variable): \(problem)." }
    }

    /// Nil where nothing asks for traces: they are sent where an endpoint is named, or `OTEL_TRACES_EXPORTER` is `otlp`.
    public init?(environment: [String: String]) throws(Invalid) {
        let variables = Variables(environment)
        if variables["OTEL_SDK_DISABLED"]?.lowercased() == "true" { return nil }
        let exporter = variables["OTEL_TRACES_EXPORTER"]
        guard exporter == nil || exporter == "otlp" || exporter == "none" else {
            throw Invalid(
                variable: "OTEL_TRACES_EXPORTER", problem: "\(exporter ?? "") is not known here; write otlp or none")
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
        if let count = try variables.count("OTEL_BSP_MAX_QUEUE_SIZE") { mostWaiting = count }
        if let count = try variables.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") { batch = count }
        batch = min(batch, mostWaiting)
    }
}

/// Reads OpenTelemetry's variables. An empty one is as if it were not there.
private struct Variables {
    typealias Invalid = Configuration.Invalid

    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(_ name: String) -> String? {
        environment[name].map { $0.trimming(" \t") }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The first that is there, and its name.
    private func first(_ names: [String]) -> (name: String, text: String)? {
        for name in names { if let text = self[name] { return (name, text) } }
        return nil
    }

    func endpoint(isWanted: Bool) throws(Invalid) -> String? {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
        guard let (name, text) = first(names) else { return isWanted ? "http://localhost:4318/v1/traces" : nil }
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
            throw Invalid(variable: name, problem: "it is no URL such as http://collector:4318")
        }
        guard !text.contains("@") else {
            throw Invalid(variable: name, problem: "no password goes here; write it in OTEL_EXPORTER_OTLP_HEADERS")
        }
        // The general one is of all signals; each has its place beneath it.
        guard name == names[1] else { return text }
        return text + (text.hasSuffix("/") ? "" : "/") + "v1/traces"
    }

    func checkProtocol() throws(Invalid) {
        let names = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]
        // Whoever takes the one form takes the other, at the same place (OTLP specification, "OTLP/HTTP").
        guard let (name, text) = first(names), text != "http/json", text != "http/protobuf" else { return }
        throw Invalid(
            variable: name,
            problem: "\(text) is not spoken here; write http/json, and name the collector's port for HTTP, mostly 4318")
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
                throw Invalid(variable: "OTEL_TRACES_SAMPLER_ARG", problem: "\(text) is no number from 0 to 1")
            }
            return Sampling(ratio: ratio, followsParent: follows)
        default:
            throw Invalid(
                variable: "OTEL_TRACES_SAMPLER",
                problem:
                    "\(name) is not known here; write always_on, always_off or traceidratio, perhaps behind parentbased_"
            )
        }
    }

    func milliseconds(_ names: String..., or last: String? = nil) throws(Invalid) -> Duration? {
        guard let (name, text) = first(names + (last.map { [$0] } ?? [])) else { return nil }
        guard let number = Int(text), (1...3_600_000).contains(number) else {
            throw Invalid(variable: name, problem: "\(text) is no number of milliseconds from 1 to 3600000")
        }
        return .milliseconds(number)
    }

    func count(_ name: String) throws(Invalid) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (1...65_536).contains(number) else {
            throw Invalid(variable: name, problem: "\(text) is no number from 1 to 65536")
        }
        return number
    }

    /// `name=value,name=value`, the values percent-encoded (W3C Baggage §3.3.1), and printable ASCII without that.
    func pairs(_ names: String..., or last: String? = nil) throws(Invalid) -> [String: String] {
        guard let (name, text) = first(names + (last.map { [$0] } ?? [])) else { return [:] }
        var pairs: [String: String] = [:]
        for part in text.split(separator: ",") {
            let end = part.firstIndex(of: "=") ?? part.endIndex
            let key = part[..<end].trimming(" \t")
            guard end < part.endIndex, HTTPField.Name(key) != nil,
                let value = ServerURL.decoded(part[part.index(after: end)...].trimming(" \t")),
                value.utf8.allSatisfy({ (0x20..<0x7f).contains($0) })
            else {
                // What it holds may be a secret, and is not repeated.
                throw Invalid(variable: name, problem: "it is no list such as name=value,name=value")
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
