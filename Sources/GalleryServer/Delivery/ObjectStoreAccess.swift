import Catalog
import Origins
import Scheduling

/// Asks the store of buckets for the catalog, through the same places, limits and retries as its pictures. The two rooms do
/// not know each other; here is where they meet.
struct ObjectStoreAccess: ObjectStoreAsking {
    let origins: any OriginFetching

    /// Before pictures that nobody looks at yet, and behind those that somebody does.
    private static let priority = Priority(lane: .prefetch, viewport: .max, distance: 0)

    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreQuestion {
        let request = OriginRequest(url: url, isSigned: true)
        return Question(
            fetch: origins.fetch(request, priority: Self.priority) { event in
                switch event {
                case .started: events(.began)
                case .bytes(let bytes): events(.bytes(bytes))
                case .finished: events(.whole)
                case .notModified: events(.failed("The store answers a question that was not asked."))
                case .failed(let error): events(ObjectStoreEvent(error))
                }
            })
    }

    private struct Question: ObjectStoreQuestion {
        let fetch: any OriginFetch

        func cancel() { fetch.cancel() }
    }
}

extension ObjectStoreEvent {
    fileprivate init(_ error: OriginError) {
        switch error.reason {
        case .status(let status):
            self = .refused(status: status, body: error.refusal?.body ?? [], region: error.refusal?.region)
        case .credentials:
            self = .failed(
                "No credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, give the"
                    + " machine a role, or say --anonymous.")
        default: self = .failed(error.publicMessage.replacing("The picture's origin", with: "The endpoint"))
        }
    }
}
