import Clients
import EventLoops
import Locking

/// The content of a request while it arrives. It can be read once, by one reader. While nobody reads, the connection
/// buffers only a limited number of bytes. A client that waits for `100 Continue` is told to continue at the first
/// read.
public final class RequestBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    /// Reads more from the client on demand.
    protocol Source: AnyObject, Sendable {
        /// Called on the loop.
        func bodyIsWanted(_ body: RequestBody)
    }

    private struct State {
        /// Bytes received but not yet read, as one piece, however many chunks they came in.
        var bytes: [UInt8] = []
        /// Bytes counted in the budget.
        var counted = 0
        /// Set once nothing more will come.
        var end: Result<Void, any Error>?
        var source: (any Source)?
        var reader: Reader?
    }

    /// A caller waiting for bytes.
    private struct Reader {
        let continuation: CheckedContinuation<[UInt8]?, any Error>
        /// The maximum length, if the reader waits for the whole body.
        let limit: Int?
    }

    /// The most bytes to buffer for a reader.
    static let bufferLimit = 65_536

    /// The declared length in bytes; nil for a chunked body.
    public let declaredLength: Int64?
    private let loop: EventLoop?
    private let budget: BodyBudget?
    private let client: ClientAddress?
    private let state: Guarded<State>

    /// The body of all requests without one.
    static let none = RequestBody(complete: [])

    /// A complete body.
    init(complete bytes: [UInt8]) {
        declaredLength = Int64(bytes.count)
        loop = nil
        budget = nil
        client = nil
        state = Guarded(State(bytes: bytes, end: .success(())))
    }

    /// A body that will arrive. Its bytes are counted in `budget` while they are held: until they are handed out
    /// piece by piece or, if collected, until the body is released.
    init(declaredLength: Int64?, of client: ClientAddress, budget: BodyBudget, loop: EventLoop, source: any Source) {
        self.declaredLength = declaredLength
        self.loop = loop
        self.budget = budget
        self.client = client
        state = Guarded(State(source: source))
    }

    deinit {
        let counted = state.withLock(\.counted)
        if counted > 0, let budget, let client { budget.giveBack(counted, by: client) }
    }

    /// The whole body. Throws a ``RequestError``: `bodyTooLarge` if it has more than `limit` bytes, or whatever else
    /// went wrong with the request.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        if let declaredLength, declaredLength > Int64(limit) { throw RequestError.bodyTooLarge(limit: Int64(limit)) }
        return try await read(upTo: limit) ?? []
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let body: RequestBody

        public func next() async throws -> [UInt8]? { try await body.read(upTo: nil) }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    private func read(upTo limit: Int?) async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(Reader(continuation: $0, limit: limit)) }
        } onCancel: {
            let reader = state.withLock { state in state.reader.take() }
            reader?.continuation.resume(throwing: CancellationError())
        }
    }

    private func wait(_ reader: Reader) {
        let isCancelled = Task.isCancelled
        let (result, source): (Result<[UInt8]?, any Error>?, (any Source)?) = state.withLock { state in
            // Even a cancelled task gets the bytes that have arrived. A page that is closing sends its last message
            // and disconnects: nobody waits for the response, but the message counts.
            if let result = ready(for: reader, &state) { return (result, nil) }
            if isCancelled { return (.failure(CancellationError()), nil) }
            precondition(state.reader == nil, "a request's body has one reader")
            state.reader = reader
            return (nil, state.source)
        }
        if let result {
            reader.continuation.resume(with: result)
        } else if let source {
            loop?.execute { source.bodyIsWanted(self) }
        }
    }

    /// The result for `reader` so far; nil if it has to wait.
    private func ready(for reader: Reader, _ state: inout State) -> Result<[UInt8]?, any Error>? {
        if let limit = reader.limit {
            guard state.bytes.count <= limit else {
                release(&state)
                return .failure(RequestError.bodyTooLarge(limit: Int64(limit)))
            }
            guard let end = state.end else { return nil }
            guard case .success = end else {
                release(&state)
                return end.map { nil }
            }
            // The bytes stay counted, because the caller that collected them holds them.
            defer { state.bytes = [] }
            return .success(state.bytes)
        }
        guard state.bytes.isEmpty else {
            defer { release(&state) }
            return .success(state.bytes)
        }
        return state.end.map { $0.map { nil } }
    }

    private func release(_ state: inout State) {
        state.bytes = []
        if state.counted > 0, let budget, let client { budget.giveBack(state.counted, by: client) }
        state.counted = 0
    }

    // MARK: Connection side

    /// Bytes received but not yet read.
    var bufferedBytes: Int { state.withLock(\.bytes.count) }

    /// Whether more may be delivered: a reader wants the whole body, or the buffer is not full.
    var takesMore: Bool {
        state.withLock { $0.reader?.limit != nil || $0.bytes.count < Self.bufferLimit }
    }

    /// Returns false if the budget has no room for the bytes, which are then lost.
    func deliver(_ bytes: [UInt8]) -> Bool {
        let (isTaken, reader, result) = state.withLock { state -> (Bool, Reader?, Result<[UInt8]?, any Error>?) in
            guard state.end == nil else { return (true, nil, nil) }
            // Not counted, since the bytes are handed out at once.
            if let reader = state.reader, reader.limit == nil {
                state.reader = nil
                return (true, reader, .success(bytes))
            }
            if let budget, let client {
                guard budget.take(bytes.count, of: client) else { return (false, nil, nil) }
                state.counted += bytes.count
            }
            state.bytes.append(contentsOf: bytes)
            guard let reader = state.reader, let result = ready(for: reader, &state) else { return (true, nil, nil) }
            state.reader = nil
            return (true, reader, result)
        }
        if let result { reader?.continuation.resume(with: result) }
        return isTaken
    }

    /// No more bytes will come; without an error, the body is complete. Only the first call counts.
    func end(_ error: RequestError? = nil) {
        let (reader, result) = state.withLock { state -> (Reader?, Result<[UInt8]?, any Error>?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = error.map { .failure($0) } ?? .success(())
            state.source = nil
            guard let reader = state.reader.take() else { return (nil, nil) }
            return (reader, ready(for: reader, &state))
        }
        if let result { reader?.continuation.resume(with: result) }
    }
}
