import Catalog
import Cluster
import HTTPServer
import HTTPTypes
import Logging

/// Where stores tell of objects that come and go, so that nobody has to list for it.
struct EventsRoute {
    let catalog: Catalog
    /// The other nodes, which look for themselves: a store tells one of them.
    let cluster: Cluster?
    /// Nil where nobody may tell.
    let secret: SharedSecret?
    let turns: WorkTurns
    let logger: Logger

    /// Bytes of a request's body: SNS sends 256 KiB at most, and stores mostly one event at a time.
    private static let maximumBody = 512 << 10
    private static let maximumRecords = 1_000

    func add(to router: inout Router) {
        router.post("/api/v1/events", answering(take))
    }

    private func take(_ request: Request) async throws -> Response {
        guard let secret else { throw Problem(.notFound, detail: "Nobody may tell of events here.") }
        try secret.admit(request)
        // SNS says text/plain of its JSON.
        try request.requireMediaType("application/json", "text/plain")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let noted = try await turns.take(for: request.client) { () async throws -> Int in
            let body = try await JSONBody.decode(StoreEventBody.self, from: bytes)
            let heeded = catalog.heed(try await records(of: body).compactMap(\.hint))
            for (bucket, hints) in Dictionary(grouping: heeded, by: \.bucket) {
                cluster?.tell(objects: hints.map(\.encodedKey), of: bucket)
            }
            return heeded.count
        }
        return try await JSONBody.response(to: request, StoreEventAnswer(noted: noted), status: .accepted)
    }

    private func records(of body: StoreEventBody) async throws -> [StoreEventBody.Record] {
        if let records = body.records {
            guard records.count <= Self.maximumRecords else {
                throw Problem.badField("Records", "must have at most \(Self.maximumRecords) members.")
            }
            return records.compactMap(\.record)
        }
        switch (body.envelope, body.message) {
        case ("Notification", let message?):
            let inner = try await JSONBody.decode(StoreEventBody.self, from: Array(message.utf8))
            guard inner.envelope == nil else { throw Problem.badField("Message", "must be an event of a store.") }
            return try await records(of: inner)
        case ("SubscriptionConfirmation", _):
            invite(to: body.subscribeURL)
            return []
        case ("UnsubscribeConfirmation", _): return []
        default:
            guard body.test != nil else { throw Problem.badField("Records", "is missing.") }
            return []
        }
    }

    /// Whoever posts here does not choose what this server asks for: a person may follow the link.
    private func invite(to url: String?) {
        guard let url, url.utf8.count <= 2048, url.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7f }), Self.isOfSNS(url)
        else { return }
        logger.notice("A topic of SNS asks whether it may tell of events here. To let it, open \(url)")
    }

    /// Whether it is a link of SNS itself, in whichever region.
    private static func isOfSNS(_ url: String) -> Bool {
        let scheme = "https://sns."
        guard url.hasPrefix(scheme) else { return false }
        let host = url.dropFirst(scheme.count).prefix { $0 != "/" }
        return host.utf8.allSatisfy {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2d, 0x2e].contains($0)
        }
            && (host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"))
    }
}
