import EventLoops
import HTTPTypes
import Locking

/// The handle for the one response that a request is owed. Usable from any thread.
///
/// If a reply is released without a response, the client gets a 500, so that no client waits forever.
public final class Reply: Sendable {
    /// The receiver of the response. Called on the loop.
    protocol Sink: AnyObject, Sendable {
        /// The request has matched a route.
        func matched(_ route: String, number: UInt64)
        func take(_ response: Response, number: UInt64)
        /// The reply was released without a response.
        func wasDropped(number: UInt64)
    }

    private struct State {
        var sink: (any Sink)?
        var isAbandoned = false
        var onDisconnect: (@Sendable () -> Void)?
    }

    /// The loop of the connection.
    public let loop: EventLoop
    private let number: UInt64
    private let state: Guarded<State>

    init(loop: EventLoop, sink: any Sink, number: UInt64) {
        self.loop = loop
        self.number = number
        state = Guarded(State(sink: sink))
    }

    deinit {
        guard let sink = state.withLock({ $0.sink }) else { return }
        loop.execute { [number] in sink.wasDropped(number: number) }
    }

    /// The request has matched a route; it is counted under that route's pattern. Called on the loop.
    func matched(_ route: String) { state.withLock { $0.sink }?.matched(route, number: number) }

    /// Sends the response. Only the first call counts. If the client has disconnected, the response is dropped, and a
    /// stream in it ends with `.disconnected`.
    public func send(_ response: Response) {
        let sink = state.withLock { state in
            defer {
                state.sink = nil
                state.onDisconnect = nil
            }
            return state.sink
        }
        guard let sink else {
            loop.execute { response.abandon(.disconnected) }
            return
        }
        if loop.isCurrent {
            sink.take(response, number: number)
        } else {
            loop.execute { [number] in sink.take(response, number: number) }
        }
    }

    /// Whether the client has disconnected, so that work on the response may stop.
    public var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Calls `body` once, on the loop, if the client disconnects before the response is sent; soon, if it has already
    /// disconnected. After the response is sent, a stream learns it through ``BodyStream/ended(_:)``. A second call
    /// replaces the first.
    ///
    /// A client that has shut down its sending side may still read (RFC 9112 §9.6), so it does not count as
    /// disconnected. One that has closed its socket looks the same until it is sent something. The server therefore
    /// sends `100 Continue`, which clients that did not ask for it ignore (RFC 9110 §15.2.1): the disconnect is
    /// detected some milliseconds and a round trip later. In HTTP/1.0, which has no interim responses, the client
    /// counts as disconnected after ``HTTPServer/Configuration/halfCloseTimeout``. Nothing is written to a
    /// disconnected client.
    public func onDisconnect(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard !state.isAbandoned else { return true }
            if state.sink != nil { state.onDisconnect = body }
            return false
        }
        if isLate { loop.execute(body) }
    }

    /// Called by the connection on its loop when the client has disconnected.
    func abandon() {
        let body = state.withLock { state in
            state.isAbandoned = true
            defer { state.onDisconnect = nil }
            return state.onDisconnect
        }
        body?()
    }
}

extension Responder {
    /// The response to a request without a connection, for tests.
    public func response(to request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            request.loop.execute {
                respond(to: request, reply: Reply(loop: request.loop, sink: ContinuationSink(continuation), number: 0))
            }
        }
    }
}

/// Delivers the response of one request to its continuation.
private final class ContinuationSink: Reply.Sink {
    private let continuation: CheckedContinuation<Response, Never>

    init(_ continuation: CheckedContinuation<Response, Never>) { self.continuation = continuation }

    func matched(_ route: String, number: UInt64) {}

    func take(_ response: Response, number: UInt64) { continuation.resume(returning: response) }

    func wasDropped(number: UInt64) { continuation.resume(returning: Problem(.internalServerError).response) }
}
