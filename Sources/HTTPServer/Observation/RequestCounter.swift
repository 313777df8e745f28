import EventLoops
import HTTPTypes

/// Counts the requests of one loop.
///
/// `@unchecked Sendable`. Invariant: `statistics` belongs to `loop`.
final class RequestCounter: @unchecked Sendable {
    let loop: EventLoop
    private var statistics = RequestStatistics()

    init(loop: EventLoop) { self.loop = loop }

    /// Called on the loop; see ``RequestStatistics/count(_:_:_:latency:)``.
    func count(_ route: String?, _ method: HTTPRequest.Method?, _ status: Int, latency: Double?) {
        statistics.count(route, method, status, latency: latency)
    }

    /// The requests so far.
    func requests() async -> RequestStatistics {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in continuation.resume(returning: statistics) }
        }
    }
}
