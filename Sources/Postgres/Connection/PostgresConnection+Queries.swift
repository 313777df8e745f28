import CPostgres
import DequeModule
import EventLoops
import Glibc

/// A query under way: answered once, by the server or by its time.
final class PostgresCall {
    let text: String
    let parameters: [String?]
    private var answer: ((Result<[PostgresRow], PostgresError>) -> Void)?
    var timer: LoopTimer?
    var rows: [PostgresRow] = []
    var size = 0
    var refusal: PostgresError?

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
        let told = answer
        answer = nil
        told?(result)
    }
}

extension PostgresConnection {
    /// Carries out one statement, after those that were asked before. On the loop only.
    ///
    /// - Parameters:
    ///   - parameters: in their text form, nil for a null.
    ///   - time: How long the answer may take, with the wait for its turn. A server that takes longer is given up.
    public func query(
        _ text: String, _ parameters: [String?] = [], within time: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [PostgresRow] {
        let result: Result<[PostgresRow], PostgresError> = await withCheckedContinuation { continuation in
            send(text, parameters, within: time) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same.
    ///
    /// - Parameter answer: Called once, on the loop.
    func send(
        _ text: String, _ parameters: [String?], within time: Duration,
        answer: @escaping (Result<[PostgresRow], PostgresError>) -> Void
    ) {
        loop.preconditionCurrent()
        if case .ended(let reason) = state { return answer(.failure(reason)) }
        guard waiting.count < configuration.mostPending else { return answer(.failure(.crowded)) }
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
        // Row by row, so that an answer without an end is noticed.
        guard isSent == 1, PQsetSingleRowMode(handle) == 1 else { return end(.away(words)) }
        flush()
    }

    /// Takes of the answer to the present query what has come.
    func takeAnswers() {
        while state == .open, let call = current, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                current = nil
                call.end(call.refusal.map { .failure($0) } ?? .success(call.rows))
                sendNext()
                continue
            }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE: take(PostgresRow(result), of: call)
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            case PGRES_FATAL_ERROR:
                guard PQstatus(handle) == CONNECTION_OK else { return end(.away(words)) }
                call.refusal = refusal(result)
            default: end(.away("it says what nobody asked for"))
            }
        }
        // A connection that has failed is found out by reading; one that libpq has given up, here.
        if state == .open, PQstatus(handle) != CONNECTION_OK { end(.away(words)) }
    }

    private func take(_ row: PostgresRow, of call: PostgresCall) {
        call.size += row.size + 64
        guard call.size <= configuration.mostAnswerBytes else { return end(.away("its answer is too long")) }
        call.rows.append(row)
    }

    /// Of what it says, the first line alone: details may have values in them.
    private func refusal(_ result: OpaquePointer) -> PostgresError {
        func field(_ code: Character) -> String {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
        }
        return .refused(code: String(field("C").prefix(5)), told(field("M")))
    }
}

extension PostgresRow {
    /// The one row of a result.
    fileprivate init(_ result: OpaquePointer) {
        self.init(
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, 0, column) == 0 else { return nil }
                return UnsafeRawBufferPointer(
                    start: PQgetvalue(result, 0, column), count: Int(PQgetlength(result, 0, column)))
            })
    }
}

/// Lends texts to C, nil as a null pointer.
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
