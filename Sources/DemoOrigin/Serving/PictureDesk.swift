import HTTPDates
import HTTPServer
import HTTPTypes
import Renditions
import Synchronization

/// Answers requests for pictures: on time or late, well or badly.
final class PictureDesk: Sendable {
    let ledger = Ledger()
    let seed: UInt64
    private let studio: Studio
    private let maximumAge: Int
    private let state: Mutex<DemoOrigin.Conditions>

    init(_ configuration: DemoOrigin.Configuration, encoder: any PixelEncoding) {
        seed = configuration.seed
        maximumAge = configuration.maximumAge
        studio = Studio(configuration, encoder: encoder)
        state = Mutex(configuration.conditions)
    }

    var conditions: DemoOrigin.Conditions {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func answer(_ picture: NumberedPicture, to request: Request) async throws -> Response {
        let visit = ledger.arrive(String(picture.number))
        let fate = Fate(
            number: picture.number, attempt: ledger.attempt(at: picture.number), seed: seed, conditions: conditions)
        // When the client goes the task is cancelled, and the visit that is let go of counts as given up.
        if fate.latency > 0 { try await Task.sleep(for: .microseconds(Int64(fate.latency * 1000))) }
        if fate.outcome != .picture { visit.meetsAccident() }
        switch fate.outcome {
        case .picture: return try await send(picture, to: request, visit, cut: nil)
        case .accident(.cut): return try await send(picture, to: request, visit, cut: 0)
        case .accident(.truncated): return try await send(picture, to: request, visit, cut: 0.5)
        case .accident(.serverError): throw failure(.internalServerError, visit)
        case .accident(.unavailable): throw failure(.serviceUnavailable, visit)
        case .hang:
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }
    }

    private func failure(_ status: HTTPResponse.Status, _ visit: Visit) -> Problem {
        visit.leave()
        return Problem(status, detail: "An accident of the demo.", headers: [.cacheControl: "no-store"])
    }

    private func send(
        _ picture: NumberedPicture, to request: Request, _ visit: Visit, cut: Double?
    ) async throws -> Response {
        let tag = "\(seed)-\(picture.number)-\(picture.width)x\(picture.height)"
        let file = try await file(picture)
        var response = represent(file, tag: tag, number: picture.number).response(to: request)
        account(&response, visit, cut: cut, rate: nil)
        return response
    }

    /// `?bytes=` is the length of the whole file (a million if absent), `?rate=` the bytes a second (0 or absent: as fast
    /// as can be).
    func answerSlowly(to request: Request) async throws -> Response {
        let name = request.parameters["name"] ?? ""
        let bytes = try parameter("bytes", of: request, absent: 1_000_000, in: 1...100_000_000)
        let rate = try parameter("rate", of: request, absent: 0, in: 0...10_000_000_000)
        let visit = ledger.arrive(name)
        var letters = RandomNumbers(name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        let number = Int(letters.next() % 1_000_000)
        guard let picture = NumberedPicture(number: number, width: 1600, height: 1200) else { throw Problem(.notFound) }
        let file = PaddedJPEG.pad(try await file(picture), to: bytes)
        let tag = "slow-\(seed)-\(number)-\(file.count)"
        var response = represent(file, tag: tag, number: number).response(to: request)
        account(&response, visit, cut: nil, rate: rate == 0 ? nil : Double(rate))
        return response
    }

    /// Sets those of the conditions that the JSON object names.
    func change(_ json: [UInt8]) throws {
        guard let change = JSON.decode(PartialConditions.self, json) else {
            throw Problem(.badRequest, detail: "Wanted: a JSON object with some of latency, jitter, fail and hang.")
        }
        do {
            try state.withLock { state in
                var next = state
                next.latency = change.latency ?? next.latency
                next.jitter = change.jitter ?? next.jitter
                next.fail = change.fail ?? next.fail
                next.hang = change.hang ?? next.hang
                try next.validate()
                state = next
            }
        } catch let error as DemoOrigin.Invalid {
            throw Problem(.badRequest, detail: error.description, members: ["field": .string(error.field)])
        }
    }

    private struct PartialConditions: Decodable {
        var latency: Double?
        var jitter: Double?
        var fail: Double?
        var hang: Double?
    }

    private func file(_ picture: NumberedPicture) async throws -> [UInt8] {
        do {
            return try await studio.file(picture)
        } catch is Studio.Crowded {
            throw Problem(
                .serviceUnavailable, detail: "Too many pictures wait to be drawn.", headers: [.retryAfter: "1"])
        }
    }

    private func represent(_ file: [UInt8], tag: String, number: Int) -> Representation {
        // Any moment of the past will do, as long as it stays the same: minutes from the first of 2024 on.
        let modified = HTTPDate(seconds: 1_704_067_200 + Int64(number % 500_000) * 60)
        return Representation(
            .bytes(file), mediaType: "image/jpeg", entityTag: EntityTag(tag), lastModified: modified,
            headers: [.cacheControl: "public, max-age=\(maximumAge)"])
    }

    /// Puts the ledger between the body and the connection.
    private func account(_ response: inout Response, _ visit: Visit, cut share: Double?, rate: Double?) {
        if case .bytes(let bytes) = response.body, response.status.kind == .successful {
            let cut = share.map { Int(Double(bytes.count) * $0) }
            let stream = AccountedStream(bytes, cut: cut, rate: rate, visit: visit)
            response.body = .stream(stream, length: Int64(bytes.count))
        } else {
            visit.leave { $0.notModified += response.status == .notModified ? 1 : 0 }
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
