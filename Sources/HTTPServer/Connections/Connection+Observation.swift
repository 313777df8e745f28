import EventLoops
import HTTPTypes

/// What metrics and the access log need to know about a request in progress.
struct Observation {
    /// When its head was complete, in nanoseconds of the loop's clock.
    let began: UInt64
    var method: HTTPRequest.Method?
    /// Only for an access log.
    var path: String?
    var route: String?
    /// The status of the response that is being written, and when it began.
    var status: Int?
    var answered: UInt64?
    var bodyBytes: Int64 = 0

    init(began: UInt64 = EventLoop.now()) { self.began = began }

    /// A response begins; an earlier one for the same request was replaced before any of it was sent.
    mutating func answer(_ status: HTTPResponse.Status, bodyBytes: Int64 = 0) {
        self.status = status.code
        self.bodyBytes = bodyBytes
        answered = EventLoop.now()
    }
}

/// Counts requests, and records them in the access log if there is one.
extension Connection {
    /// The observation of a request that begins now.
    func observation(of head: RequestHead) -> Observation {
        var observation = Observation()
        observation.method = head.method
        if shard.accessLog != nil { observation.path = String(decoding: head.bytes[head.path], as: UTF8.self) }
        return observation
    }

    /// Notes that the first exchange's response has begun.
    func noteResponse(_ status: HTTPResponse.Status) {
        if !exchanges.isEmpty { exchanges[0].observation.answer(status) }
    }

    /// Counts a finished exchange, and writes it to the access log.
    func record(_ exchange: Exchange, isComplete: Bool) {
        let observation = exchange.observation
        let latency = observation.answered.map { $0 &- observation.began }
        let status = observation.status ?? RequestStatistics.clientClosedRequest
        shard.requests.count(
            observation.route, observation.method, status, latency: latency.map { Double($0) / 1e9 })
        guard let log = shard.accessLog else { return }
        log(
            AccessRecord(
                client: exchange.client, method: observation.method, path: observation.path, route: observation.route,
                status: status, bodyBytes: observation.bodyBytes,
                latency: latency.map { .nanoseconds(Int64(clamping: $0)) },
                duration: .nanoseconds(Int64(clamping: EventLoop.now() &- observation.began)),
                isComplete: isComplete))
    }
}
