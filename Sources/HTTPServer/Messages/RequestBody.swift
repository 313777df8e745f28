import Clients
import EventLoops
import Locking

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
        /// What has come and has not been read. One piece, however many chunks it came in.
        var bytes: [UInt8] = []
        /// Bytes that are counted in the budget.
        var counted = 0
        /// Set once nothing more will come.
        var end: Result<Void, any Error>?
        var source: (any Source)?
        var reader: Reader?
    }

    /// Who waits for bytes.
    private struct Reader {
        let continuation: CheckedContinuation<[UInt8]?, any Error>
        /// Set if the whole body is waited for: the most bytes that it may have.
        let limit: Int?
    }

    /// Bytes that may wait for their reader.
    static let bufferLimit = 65_536

    /// The length that the client has declared, in bytes; nil if it sends chunks.
    public let declaredLength: Int64?
    private let loop: EventLoop?
    private let budget: BodyBudget?
    private let client: Client?
    private let state: Guarded<State>

    /// The body of all requests that have none.
    static let none = RequestBody(complete: [])

    /// A body that is all there.
    init(complete bytes: [UInt8]) {
        declaredLength = Int64(bytes.count)
        loop = nil
        budget = nil
        client = nil
        state = Guarded(State(bytes: bytes, end: .success(())))
    }

    /// A body that will be delivered, and whose bytes are counted in `budget` for as long as they are held: until they
    /// are handed out piece by piece, or, collected, until nobody holds the body any more.
    init(declaredLength: Int64?, of client: Client, budget: BodyBudget, loop: EventLoop, source: any Source) {
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

    /// The whole body. Throws a ``RequestError``: `bodyTooLarge` if it has more than `limit` bytes, or what else went
    /// wrong with the request.
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
            // What has come is handed out to a cancelled task too. A page that closes sends its last word and is gone:
            // nobody waits for the answer, but the word counts.
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

    /// What can be told to `reader` by now; nil if it has to wait.
    private func ready(for reader: Reader, _ state: inout State) -> Result<[UInt8]?, any Error>? {
        if let limit = reader.limit {
            guard state.bytes.count <= limit else {
                letGo(&state)
                return .failure(RequestError.bodyTooLarge(limit: Int64(limit)))
            }
            guard let end = state.end else { return nil }
            guard case .success = end else {
                letGo(&state)
                return end.map { nil }
            }
            // Counted on: whoever has collected them holds them.
            defer { state.bytes = [] }
            return .success(state.bytes)
        }
        guard state.bytes.isEmpty else {
            defer { letGo(&state) }
            return .success(state.bytes)
        }
        return state.end.map { $0.map { nil } }
    }

    private func letGo(_ state: inout State) {
        state.bytes = []
        if state.counted > 0, let budget, let client { budget.giveBack(state.counted, by: client) }
        state.counted = 0
    }

    // MARK: For the connection

    /// Bytes that have arrived and have not been read.
    var bufferedBytes: Int { state.withLock(\.bytes.count) }

    /// Whether more may be delivered: somebody wants the whole, or not much waits for its reader.
    var takesMore: Bool {
        state.withLock { $0.reader?.limit != nil || $0.bytes.count < Self.bufferLimit }
    }

    /// False if there is no room for the bytes in the budget; they are lost then.
    func deliver(_ bytes: [UInt8]) -> Bool {
        let (isTaken, reader, result) = state.withLock { state -> (Bool, Reader?, Result<[UInt8]?, any Error>?) in
            guard state.end == nil else { return (true, nil, nil) }
            // Not counted: it is not held here for a moment.
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

    /// No more bytes come; without an error, the body is whole. Only the first call counts.
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
