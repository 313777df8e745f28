import HTTPServer
import HTTPTypes
import Logging

extension Logger {
    /// An access log that writes to this logger.
    var accessLog: AccessLog { { record($0) } }

    /// Logs a request at the level `info`, with its times in seconds.
    private func record(_ request: AccessRecord) {
        var fields: Metadata = [
            "status": "\(request.status)", "bytes": "\(request.bodyBytes)",
            "duration": "\(Self.seconds(request.duration))",
        ]
        if let client = request.client { fields["client"] = "\(client)" }
        if let method = request.method { fields["method"] = "\(method.rawValue)" }
        if let path = request.path { fields["path"] = "\(Self.withoutKey(path))" }
        if let route = request.route { fields["route"] = "\(route)" }
        if let latency = request.latency { fields["latency"] = "\(Self.seconds(latency))" }
        if !request.isComplete { fields["incomplete"] = "true" }
        info("request", metadata: fields)
    }

    /// The path without the key of a share, which opens it.
    private static func withoutKey(_ path: String) -> String {
        guard let start = path.firstRange(of: SharePaths.start)?.upperBound else { return path }
        return path[..<start] + "…" + path[start...].drop { $0 != "/" }
    }

    private static func seconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1e6 }
}
