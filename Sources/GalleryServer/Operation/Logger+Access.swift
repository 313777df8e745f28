import HTTPServer
import HTTPTypes
import Logging

extension Logger {
    /// Logs each request here.
    var accessLog: AccessLog { { record($0) } }

    /// Logs a request at the level `info`, with its times in seconds.
    private func record(_ request: AccessRecord) {
        var fields: Metadata = [
            "status": "\(request.status)", "bytes": "\(request.bodyBytes)",
            "seconds": "\(Self.seconds(request.duration))",
        ]
        if let client = request.client { fields["client"] = "\(client)" }
        if let method = request.method { fields["method"] = "\(method.rawValue)" }
        if let path = request.path { fields["path"] = "\(path)" }
        if let route = request.route { fields["route"] = "\(route)" }
        if let latency = request.latency { fields["first"] = "\(Self.seconds(latency))" }
        if !request.isComplete { fields["incomplete"] = "true" }
        info("request", metadata: fields)
    }

    private static func seconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1e6 }
}
