import Catalog
import Cluster
import HTTPServer
import HTTPTypes
import Logging

/// `POST /api/v1/events`: object stores report changed objects here, which saves bucket listings.
struct EventsRoute {
    let catalog: Catalog
    /// The other nodes, which verify each hint themselves: an object store reports an event to one node only.
    let cluster: Cluster?
    /// Nil if events are not accepted.
    let secret: SharedSecret?
    let workQueue: FairWorkQueue
    let logger: Logger

    /// The most bytes of a request's body. SNS sends at most 256 KiB, and stores usually send one event at a time.
    private static let maximumBody = 512 << 10
    private static let maximumRecords = 1_000

    func add(to router: inout Router) {
        router.post("/api/v1/events", for: .secret, answering(take))
    }

    private func take(_ request: Request) async throws -> Response {
        guard let secret else { throw Problem(.notFound, detail: "This server does not accept events.") }
        try secret.admit(request)
        // SNS labels its JSON as text/plain.
        try request.requireMediaType("application/json", "text/plain")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let noted = try await workQueue.run(for: request.client) { () async throws -> Int in
            let body = try await JSONBody.decode(StoreEventBody.self, from: bytes)
            let heeded = catalog.enqueue(try await records(of: body).compactMap(\.hint))
            for (bucket, hints) in Dictionary(grouping: heeded, by: \.bucket) {
                cluster?.announce(objects: hints.map(\.encodedKey), of: bucket)
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
            return records.compactMap(\.self)
        }
        switch (body.envelope, body.message) {
        case ("Notification", let message?):
            let inner = try await JSONBody.decode(StoreEventBody.self, from: Array(message.utf8))
            guard inner.envelope == nil else { throw Problem.badField("Message", "must be an object store event.") }
            return try await records(of: inner)
        case ("SubscriptionConfirmation", _):
            logSubscription(at: body.subscribeURL)
            return []
        case ("UnsubscribeConfirmation", _): return []
        default:
            guard body.test != nil else { throw Problem.badField("Records", "is missing.") }
            return []
        }
    }

    /// Logs the link for the operator to open. The server does not fetch it, because the sender must not choose what
    /// the server requests.
    private func logSubscription(at url: String?) {
        guard let url, url.utf8.count <= 2048, url.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7f }), Self.isSNSAddress(url)
        else { return }
        logger.notice("An SNS topic asks to send events here. To confirm, open \(url)")
    }

    /// Whether the URL is one of SNS itself, in any region.
    private static func isSNSAddress(_ url: String) -> Bool {
        let scheme = "https://sns."
        guard url.hasPrefix(scheme) else { return false }
        let host = url.dropFirst(scheme.count).prefix { $0 != "/" }
        return host.utf8.allSatisfy {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2d, 0x2e].contains($0)
        }
            && (host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"))
    }
}
