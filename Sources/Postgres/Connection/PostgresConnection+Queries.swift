import CPostgres
import DequeModule
import EventLoops
import Glibc

/// A query in progress. It is completed exactly once, by the server or by its timeout.
final class PostgresCall {
    let text: String
    let parameters: [String?]
    private var answer: ((Result<[PostgresRow], PostgresError>) -> Void)?
    var timer: LoopTimer?
    var rows: [PostgresRow] = []
    var size = 0
    var refusal: PostgresError?
    /// The size of all errors, which libpq keeps until the next query.
    var errorSize = 0

    init(
        _ text: String, _ parameters: [String?], answer: @escaping (Result<[PostgresRow], PostgresError>) -> Void
    ) {
        self.text = text
        self.parameters = parameters
        self.answer = answer
    }

    func end(_ result: Result<[PostgresRow], PostgresError>) {
        timer?.cancel()
        timer = nil
        let completion = answer
        answer = nil
        completion?(result)
    }
}

extension PostgresConnection {
    /// Executes one statement, after those queued earlier. On the event loop only.
    ///
    /// - Parameters:
    ///   - parameters: In text form, nil for null.
    ///   - time: The timeout for the response, including the time in the queue. After a timeout the connection is
    ///     closed.
    /// - Throws: ``PostgresError``.
    public func query(
        _ text: String, _ parameters: [String?] = [], within time: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [PostgresRow] {
        let result: Result<[PostgresRow], PostgresError> = await withCheckedContinuation { continuation in
            send(text, parameters, within: time) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Whether a pooler sits in between. A client of a pooler has no backend of its own, so the process ID that the pooler
    /// sends at startup is an invented one.
    ///
    /// - Throws: ``PostgresError``.
    func isPooled(within time: Duration, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
        do {
            let rows = try await query("SELECT pg_backend_pid()::bigint", within: time)
            return rows.first?.integer(0).map { $0 != Int64(PQbackendPID(handle)) } ?? false
        } catch PostgresError.refused {
            // Some servers that speak PostgreSQL's protocol have no such function.
            return false
        }
    }

    /// The same with a callback.
    ///
    /// - Parameter answer: Called once, on the event loop.
    func send(
        _ text: String, _ parameters: [String?], within time: Duration,
        answer: @escaping (Result<[PostgresRow], PostgresError>) -> Void
    ) {
        loop.preconditionCurrent()
        if case .ended(let reason) = state { return answer(.failure(reason)) }
        guard waiting.count < configuration.maximumPending else { return answer(.failure(.overloaded)) }
        let call = PostgresCall(text, parameters, answer: answer)
        call.timer = loop.schedule(after: time) { [weak self] in self?.end(.timedOut) }
        waiting.append(call)
        sendNext()
    }

    func sendNext() {
        guard state == .open, current == nil, let call = waiting.popFirst() else { return }
        current = call
        let isSent = withCStrings(call.parameters) { values in
            PQsendQueryParams(handle, call.text, Int32(call.parameters.count), nil, values, nil, nil, 1)
        }
        // Row by row, so that an endless response is noticed.
        guard isSent == 1, PQsetSingleRowMode(handle) == 1 else { return end(.disconnected(words)) }
        flush()
    }

    /// Processes what has arrived of the response to the current query.
    func takeAnswers() {
        while state == .open, let call = current, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                meter.explained(MessageSize.ofQuery + call.errorSize + recordSize)
                current = nil
                call.end(call.refusal.map { .failure($0) } ?? .success(call.rows))
                sendNext()
                continue
            }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE: take(result, of: call)
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                meter.explained(MessageSize.ofEnd(result))
            case PGRES_FATAL_ERROR:
                guard PQstatus(handle) == CONNECTION_OK else { return end(.disconnected(words)) }
                call.errorSize += MessageSize.ofError(result)
                call.refusal = refusal(result)
            default: end(.disconnected("it sent an unexpected message"))
            }
        }
        // Reading detects a failed connection; this detects one that libpq has given up.
        if state == .open, PQstatus(handle) != CONNECTION_OK { end(.disconnected(words)) }
    }

    private func take(_ result: OpaquePointer, of call: PostgresCall) {
        // PostgreSQL's own limit (appendix K).
        guard PQnfields(result) <= 1664 else { return end(.disconnected("its response has too many columns")) }
        let size = MessageSize.ofRow(result)
        // Records of TLS hold 8 KiB of a PostgreSQL server's output.
        meter.explained(recordSize > 0 ? size + size / 64 : size)
        let row = PostgresRow(result)
        call.size += row.size + 64
        guard call.size <= configuration.maximumAnswerBytes else {
            return end(.disconnected("its response is too long"))
        }
        call.rows.append(row)
    }

    /// Only the primary message, because details may contain values.
    private func refusal(_ result: OpaquePointer) -> PostgresError {
        func field(_ code: Character) -> String {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
        }
        return .refused(code: String(field("C").prefix(5)), redacted(field("M")))
    }
}

extension PostgresRow {
    /// The single row of a result.
    fileprivate init(_ result: OpaquePointer) {
        self.init(
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, 0, column) == 0 else { return nil }
                return UnsafeRawBufferPointer(
                    start: PQgetvalue(result, 0, column), count: Int(PQgetlength(result, 0, column)))
            })
    }
}

/// Passes texts to C, nil as a null pointer.
func withCStrings<Value>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
    let copies = texts.map { text in text.map { strdup($0) } ?? nil }
    defer { for copy in copies { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { buffer in
        var none: UnsafePointer<CChar>?
        return withUnsafePointer(to: &none) { body(buffer.baseAddress ?? $0) }
    }
}
