import Encodings
import HTTPServer
import HTTPTypes
import Renditions
import Synchronization
import Time

/// Answers requests for pictures, with the configured latency and faults.
final class PictureResponder: Sendable {
    let requestLog = RequestLog()
    let seed: UInt64
    private let renderer: PictureRenderer
    private let maximumAge: Int
    private let state: Mutex<DemoOrigin.Conditions>

    init(_ configuration: DemoOrigin.Configuration, encoder: any PixelEncoding) {
        seed = configuration.seed
        maximumAge = configuration.maximumAge
        renderer = PictureRenderer(configuration, encoder: encoder)
        state = Mutex(configuration.conditions)
    }

    var conditions: DemoOrigin.Conditions {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func answer(_ picture: NumberedPicture, to request: Request) async throws -> Response {
        let record = requestLog.arrive(String(picture.number))
        let outcome = SimulatedOutcome(
            number: picture.number, attempt: requestLog.attempt(at: picture.number), seed: seed, conditions: conditions)
        // If the client disconnects, the task is cancelled, and the released visit counts as given up.
        if outcome.latency > 0 { try await Task.sleep(for: .microseconds(Int64(outcome.latency * 1000))) }
        if outcome.outcome != .picture { record.meetsAccident() }
        switch outcome.outcome {
        case .picture: return try await send(picture, to: request, record, cut: nil)
        case .accident(.cut): return try await send(picture, to: request, record, cut: 0)
        case .accident(.truncated): return try await send(picture, to: request, record, cut: 0.5)
        case .accident(.serverError): throw failure(.internalServerError, record)
        case .accident(.unavailable): throw failure(.serviceUnavailable, record)
        case .hang:
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }
    }

    private func failure(_ status: HTTPResponse.Status, _ record: RequestRecord) -> Problem {
        record.leave()
        return Problem(status, detail: "A simulated failure of the demo.", headers: [.cacheControl: "no-store"])
    }

    private func send(
        _ picture: NumberedPicture, to request: Request, _ record: RequestRecord, cut: Double?
    ) async throws -> Response {
        let tag = "\(seed)-\(picture.number)-\(picture.width)x\(picture.height)"
        let file = try await file(picture)
        var response = represent(file, tag: tag, number: picture.number).response(to: request)
        account(&response, record, cut: cut, rate: nil)
        return response
    }

    /// `?bytes=` is the length of the whole file (1,000,000 by default), `?rate=` the bytes per second (unlimited if
    /// 0 or absent).
    func answerSlowly(to request: Request) async throws -> Response {
        let name = request.parameters["name"] ?? ""
        let bytes = try parameter("bytes", of: request, absent: 1_000_000, in: 1...100_000_000)
        let rate = try parameter("rate", of: request, absent: 0, in: 0...10_000_000_000)
        let record = requestLog.arrive(name)
        var letters = RandomNumbers(name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        let number = Int(letters.next() % 1_000_000)
        guard let picture = NumberedPicture(number: number, width: 1600, height: 1200) else { throw Problem(.notFound) }
        let file = PaddedJPEG.pad(try await file(picture), to: bytes)
        let tag = "slow-\(seed)-\(number)-\(file.count)"
        var response = represent(file, tag: tag, number: number).response(to: request)
        account(&response, record, cut: nil, rate: rate == 0 ? nil : Double(rate))
        return response
    }

    /// Sets the conditions that the JSON object names.
    func change(_ json: [UInt8]) throws {
        do {
            let change = try JSONField(json)
            try state.withLock { state in
                var next = state
                next.latency = try change["latency"]?.unlessNull?.number() ?? next.latency
                next.jitter = try change["jitter"]?.unlessNull?.number() ?? next.jitter
                next.fail = try change["fail"]?.unlessNull?.number() ?? next.fail
                next.hang = try change["hang"]?.unlessNull?.number() ?? next.hang
                try next.validate()
                state = next
            }
        } catch is JSONFieldError {
            throw Problem(.badRequest, detail: "Send a JSON object with any of latency, jitter, fail and hang.")
        } catch let error as DemoOrigin.Invalid {
            throw Problem(.badRequest, detail: error.description, members: ["field": .string(error.field)])
        }
    }

    private func file(_ picture: NumberedPicture) async throws -> [UInt8] {
        do {
            return try await renderer.file(picture)
        } catch is PictureRenderer.QueueFull {
            throw Problem(
                .serviceUnavailable, detail: "Too many pictures are queued to be drawn.", headers: [.retryAfter: "1"])
        }
    }

    private func represent(_ file: [UInt8], tag: String, number: Int) -> Representation {
        // Any past time will do if it never changes: a minute per number, starting from 1 January 2024.
        let modified = HTTPDate(seconds: 1_704_067_200 + Int64(number % 500_000) * 60)
        return Representation(
            .bytes(file), mediaType: "image/jpeg", entityTag: EntityTag(tag), lastModified: modified,
            headers: [.cacheControl: "public, max-age=\(maximumAge)"])
    }

    /// Inserts the ledger between the body and the connection.
    private func account(_ response: inout Response, _ record: RequestRecord, cut share: Double?, rate: Double?) {
        if case .bytes(let bytes) = response.body, response.status.kind == .successful {
            let cut = share.map { Int(Double(bytes.count) * $0) }
            let stream = AccountedStream(bytes, cut: cut, rate: rate, record: record)
            response.body = .stream(stream, length: Int64(bytes.count))
        } else {
            record.leave { $0.notModified += response.status == .notModified ? 1 : 0 }
        }
    }

    private func parameter(
        _ name: String, of request: Request, absent: Int, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let text = request.query[name] else { return absent }
        guard text.utf8.count < 15, let value = Int(text), range.contains(value) else {
            throw Problem(
                .badRequest, detail: "\(name) must be from \(range.lowerBound) to \(range.upperBound).",
                members: ["field": .string(name)])
        }
        return value
    }
}
