import Foundation
import Glibc
import Loading
import Locking
import Logging
import Origins
import Scheduling
import Traces
import Tracing

/// Sends this gallery's spans to a collector.
final class TraceExport: Sendable {
    let tracer: any Tracer
    private let exporter: BatchExporter
    private let collector: OriginFetcher

    /// The priority of a post doesn't matter, since there is only one at a time.
    private static let priority = Priority(level: .visible, viewport: 0, distance: 0)

    /// The most bytes of a collector's response to read; it is normally short.
    private static let longestAnswer = 65_536

    /// - Parameters:
    ///   - version: The program's version.
    ///   - node: This node's name within its gallery.
    init(_ configuration: Traces.Configuration, version: String, node: NodeTag, logger: Logger) throws {
        var resource = [
            "service.version": version, "service.instance.id": "\(node)", "host.name": Self.hostName,
            "telemetry.sdk.language": "swift", "telemetry.sdk.name": "tessera", "telemetry.sdk.version": version,
        ]
        // The operator's settings override the program's own.
        resource.merge(configuration.resource) { $1 }
        var configuration = configuration
        configuration.resource = resource

        var reach = Origins.Configuration()
        // The operator named the collector, and it is usually on a private network.
        reach.allowedAddresses = ["0.0.0.0/0", "::/0"]
        reach.certificateAuthorities = configuration.certificateAuthorities
        reach.totalTimeout = configuration.timeout
        reach.firstByteTimeout = min(reach.firstByteTimeout, configuration.timeout)
        reach.connectTimeout = min(reach.connectTimeout, configuration.timeout)
        reach.userAgent = "Tessera/\(version)"
        var quiet = Logger(label: "tessera.traces")
        // The exporter itself logs once that a collector is unreachable.
        quiet.logLevel = .error
        collector = try OriginFetcher(configuration: reach, logger: quiet)
        exporter = BatchExporter(configuration, version: version, logger: logger) {
            [collector, endpoint = configuration.endpoint, headers = configuration.headers] body, done in
            let upload = OriginRequest.Upload(
                bytes: body, mediaType: "application/json", method: .post, fields: headers)
            let answer = Guarded<[UInt8]>([])
            _ = collector.fetch(OriginRequest(url: endpoint, upload: upload), priority: Self.priority) { event in
                switch event {
                case .started: answer.withLock { $0 = [] }
                case .bytes(let bytes): answer.withLock { $0 += bytes.prefix(Self.longestAnswer - $0.count) }
                case .finished: done(.success(answer.withLock { $0 }))
                case .failed(let error): done(.failure(BatchExporter.Refusal(detail: error.logDetail)))
                case .parked, .notModified: break
                }
            }
        }
        tracer = OpenTelemetryTracer(configuration.sampling, exporter: exporter)
    }

    var figures: BatchExporter.Statistics { exporter.figures }

    /// Sends what waits, for as long as that takes but no longer than `limit`, and ends.
    func stop(within limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.exporter.flush() }
            group.addTask {
                try? await Task.sleep(for: limit)
                // This makes the pending post fail, which ends the flush.
                await self.collector.shutDown()
            }
            await group.next()
            group.cancelAll()
        }
        await collector.shutDown()
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "localhost" }
    }
}
