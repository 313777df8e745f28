import Encodings
import Locking

@testable import Catalog

/// A store whose objects a test adds and removes; it only lists them, in the order of real stores.
final class FakeObjectStore: ObjectStoreRequesting {
    private struct State {
        /// Entity tags by key.
        var objects: [String: String] = [:]
        var asked: [String] = []
        var failing: String?
    }

    private let state = Guarded(State())
    /// The maximum number of keys per page.
    let page: Int

    init(_ keys: [String] = [], page: Int = 1000) {
        self.page = page
        for key in keys { put(key) }
    }

    func put(_ key: String, tag: String = "a") { state.withLock { $0.objects[key] = tag } }
    func remove(_ key: String) { state.withLock { _ = $0.objects.removeValue(forKey: key) } }
    /// Requests whose URL contains this text fail.
    var failing: String? {
        get { state.withLock { $0.failing } }
        set { state.withLock { $0.failing = newValue } }
    }
    static let everything = "http"
    static let listings = "max-keys=1000"
    var keys: [String] { state.withLock { Self.inOrder($0.objects.keys) } }
    /// Requests for pages of listings.
    var listings: Int { state.withLock { $0.asked.count { $0.contains(Self.listings) } } }
    /// Requests for individual objects.
    var lookups: Int { state.withLock { $0.asked.count { $0.contains("max-keys=1&") } } }

    private static func inOrder(_ keys: some Sequence<String>) -> [String] {
        keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreRequest {
        let query = url.split(separator: "?").last.map(String.init) ?? ""
        let parameters = Dictionary(
            uniqueKeysWithValues: query.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map {
                    PercentEncoding.bytes(of: $0.utf8, plusIsSpace: true) ?? []
                }
                return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts.last ?? [], as: UTF8.self))
            })
        let (objects, failing) = state.withLock { state in
            state.asked.append(url)
            return (state.objects, state.failing)
        }
        if let failing, url.contains(failing) {
            events(.failed("gone"))
            return Question()
        }
        let after = parameters["continuation-token"] ?? ""
        let keys = Self.inOrder(
            objects.keys.filter { $0.hasPrefix(parameters["prefix"] ?? "") }
                .filter { after.utf8.lexicographicallyPrecedes($0.utf8) })
        let shown = keys.prefix(min(page, parameters["max-keys"].flatMap { Int($0) } ?? page))
        let rows = shown.map { key in
            BucketPageTests.row(PercentEncoding.encode(key.utf8), tag: "&quot;\(objects[key] ?? "")&quot;")
        }
        let next = shown.count < keys.count ? "<NextContinuationToken>\(shown.last ?? "")</NextContinuationToken>" : ""
        let text = BucketPageTests.page(
            rows.joined(), truncated: "\(shown.count < keys.count)", more: "<EncodingType>url</EncodingType>" + next)
        for event in [ObjectStoreEvent.began, .bytes(Array(text.utf8)), .whole] { events(event) }
        return Question()
    }

    private struct Question: ObjectStoreRequest {
        func cancel() {}
    }
}
