import EventLoops
import Synchronization

/// The content of a request, while it arrives. One reader, once. While nobody reads, the connection takes no more than
/// a bounded buffer from the client; a client that waits for `100 Continue` is told to go on at the first read.
public final class RequestBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    /// Somebody who reads more from the client on demand.
    protocol Source: AnyObject, Sendable {
        /// Called on the loop.
        func bodyIsWanted(_ body: RequestBody)
    }

    private struct State {
        var chunks: [[UInt8]] = []
        var bufferedBytes = 0
        /// Set once nothing more will come.
        var end: Result<Void, any Error>?
        var source: (any Source)?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
    }

    /// The length that the client has declared, in bytes; nil if it sends chunks.
    public let declaredLength: Int64?
    private let loop: EventLoop?
    private let state: Mutex<State>

    /// The body of all requests that have none.
    static let none = RequestBody(complete: [])

    /// A body that is all there.
    init(complete bytes: [UInt8]) {
        declaredLength = Int64(bytes.count)
        loop = nil
        let chunks = bytes.isEmpty ? [] : [bytes]
        state = Mutex(State(chunks: chunks, bufferedBytes: bytes.count, end: .success(())))
    }

    init(declaredLength: Int64?, loop: EventLoop, source: any Source) {
        self.declaredLength = declaredLength
        self.loop = loop
        state = Mutex(State(source: source))
    }

    /// The whole body. Throws a ``RequestError``: `bodyTooLarge` if it has more than `limit` bytes, or what else went
    /// wrong with the request.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        if let declaredLength, declaredLength > Int64(limit) { throw RequestError.bodyTooLarge(limit: Int64(limit)) }
        guard var collected = try await next() else { return [] }
        repeat {
            guard collected.count <= limit else { throw RequestError.bodyTooLarge(limit: Int64(limit)) }
            guard let more = try await next() else { return collected }
            collected.append(contentsOf: more)
        } while true
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let body: RequestBody

        public func next() async throws -> [UInt8]? { try await body.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    private func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in wait(continuation) }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ continuation: CheckedContinuation<[UInt8]?, any Error>) {
        let isCancelled = Task.isCancelled
        let (result, source): (Result<[UInt8]?, any Error>?, (any Source)?) = state.withLock { state in
            // What has come is handed out to a cancelled task too. A page that closes sends its last word and is gone:
            // nobody waits for the answer, but the word counts.
            if !state.chunks.isEmpty {
                let chunk = state.chunks.removeFirst()
                state.bufferedBytes -= chunk.count
                return (.success(chunk), nil)
            }
            if let end = state.end { return (end.map { nil }, nil) }
            if isCancelled { return (.failure(CancellationError()), nil) }
            precondition(state.reader == nil, "a request's body has one reader")
            state.reader = continuation
            return (nil, state.source)
        }
        if let result {
            continuation.resume(with: result)
        } else if let source {
            loop?.execute { source.bodyIsWanted(self) }
        }
    }

    // MARK: For the connection

    /// Bytes that have arrived and have not been read.
    var bufferedBytes: Int { state.withLock(\.bufferedBytes) }

    /// Whether somebody waits for bytes now.
    var hasReader: Bool { state.withLock { $0.reader != nil } }

    func deliver(_ bytes: [UInt8]) {
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.end == nil else { return nil }
            defer { state.reader = nil }
            if state.reader == nil {
                state.chunks.append(bytes)
                state.bufferedBytes += bytes.count
            }
            return state.reader
        }
        reader?.resume(returning: bytes)
    }

    /// No more bytes come; without an error, the body is whole. Only the first call counts.
    func end(_ error: RequestError? = nil) {
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            state.source = nil
            defer { state.reader = nil }
            return state.reader
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }
}
