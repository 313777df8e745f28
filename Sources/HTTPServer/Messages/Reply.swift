import EventLoops
import HTTPTypes
import Locking

/// The one answer that a request is owed. From any thread.
///
/// A reply that is let go of without an answer is answered with 500, so that no client waits for ever.
public final class Reply: Sendable {
    /// Where the answer goes. Called on the loop.
    protocol Sink: AnyObject, Sendable {
        func take(_ response: Response, number: UInt64)
        /// The reply was let go of without an answer.
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

    /// Answers. Only the first call counts. If the client is gone the answer is let go of, and a stream in it is told
    /// that it has `.disconnected`.
    public func send(_ response: Response) {
        let sink = state.withLock { state in
            defer {
                state.sink = nil
                state.onDisconnect = nil
            }
            return state.sink
        }
        guard let sink else {
            loop.execute { response.letGo(.disconnected) }
            return
        }
        if loop.isCurrent {
            sink.take(response, number: number)
        } else {
            loop.execute { [number] in sink.take(response, number: number) }
        }
    }

    /// Whether the client has gone, so that the work for the answer may as well stop.
    public var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Calls `body` once, on the loop, if the client goes before the answer is sent; soon, if it has gone already.
    /// After the answer is sent a stream learns it by ``BodyStream/ended(_:)``. A second call replaces the first.
    ///
    /// A client that has finished sending may still read (RFC 9112 §9.6) and is not gone for that. One that has closed
    /// its socket looks the same until it is sent something, so it is sent `100 Continue`, which means nothing to who
    /// did not ask for it (RFC 9110 §15.2.1): it is known to be gone some milliseconds and a round trip later. In
    /// HTTP/1.0, which has no interim answers, it counts as gone after
    /// ``HTTPServer/Configuration/halfCloseTimeout``. Nothing is written to who is gone.
    public func onDisconnect(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard !state.isAbandoned else { return true }
            if state.sink != nil { state.onDisconnect = body }
            return false
        }
        if isLate { loop.execute(body) }
    }

    /// For the connection, on its loop: the client has gone.
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
    /// The answer to a request that comes from no socket: for tests.
    public func response(to request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            request.loop.execute {
                respond(to: request, reply: Reply(loop: request.loop, sink: LoneSink(continuation), number: 0))
            }
        }
    }
}

/// Hands the answer of one request to whoever waits for it.
private final class LoneSink: Reply.Sink {
    private let continuation: CheckedContinuation<Response, Never>

    init(_ continuation: CheckedContinuation<Response, Never>) { self.continuation = continuation }

    func take(_ response: Response, number: UInt64) { continuation.resume(returning: response) }

    func wasDropped(number: UInt64) { continuation.resume(returning: Problem(.internalServerError).response) }
}
