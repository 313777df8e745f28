import Catalog
import Origins
import Scheduling

/// Connects the catalog to the object store through the loader's fetcher, so that bucket listings share the permits,
/// limits and retries of pictures. The catalog and the fetcher don't know each other.
struct ObjectStoreAccess: ObjectStoreRequesting {
    let origins: any OriginFetching

    /// Before pictures that are not displayed yet, but after those that are.
    private static let priority = Priority(level: .prefetch, viewport: .max, distance: 0)

    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreRequest {
        let request = OriginRequest(url: url, isSigned: true)
        return Question(
            fetch: origins.fetch(request, priority: Self.priority) { event in
                switch event {
                case .started: events(.began)
                case .bytes(let bytes): events(.bytes(bytes))
                case .finished: events(.whole)
                case .parked, .notModified: events(.failed("The object store sent an unexpected response."))
                case .failed(let error): events(ObjectStoreEvent(error))
                }
            })
    }

    private struct Question: ObjectStoreRequest {
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
        default: self = .failed(error.publicMessage.replacing("The remote server", with: "The endpoint"))
        }
    }
}
