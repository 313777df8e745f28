import Images
import Locking
import Testing

@testable import Catalog

/// A store with scripted responses, by the token of the request ("" for the first page) and the number of the attempt.
private final class ScriptedStore: ObjectStoreRequesting {
    typealias Script = @Sendable (_ token: String, _ attempt: Int) -> [ObjectStoreEvent]

    private let script: Script
    private let tokens = Guarded<[String]>([])

    init(_ script: @escaping Script) { self.script = script }

    var asked: [String] { tokens.withLock { $0 } }

    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreRequest {
        let query = url.split(separator: "?").last ?? ""
        let token = query.hasPrefix("continuation-token=") ? query.dropFirst(19).prefix { $0 != "&" } : ""
        let attempt = tokens.withLock { tokens in
            tokens.append(String(token))
            return tokens.count { $0 == token }
        }
        for event in script(String(token), attempt) { events(event) }
        return Question()
    }

    private struct Question: ObjectStoreRequest {
        func cancel() {}
    }
}

@Suite(.timeLimit(.minutes(1))) struct BucketListingTests {
    /// A page with these keys and, unless it is the last, the token of the next page.
    private static func page(_ keys: String..., next: String? = nil) -> [ObjectStoreEvent] {
        let more = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        let text = BucketPageTests.page(
            keys.map { BucketPageTests.row($0) }.joined(), truncated: "\(next != nil)", more: more)
        return [.began, .bytes(Array(text.utf8)), .whole]
    }

    private func list(_ store: ScriptedStore, retries: Int = 3) throws -> [String] {
        var keys: [String] = []
        let listing = BucketListing(
            address: try BucketAddress("s3://photos"), store: store, pace: RetryPace(first: .zero), retries: retries,
            isStopped: { false }, delayed: { _ in })
        try listing.read { page in keys += page.objects.map { String(decoding: $0.key, as: UTF8.self) } }
        return keys
    }

    @Test func `all pages are read once, in order`() throws {
        let store = ScriptedStore { token, _ in
            switch token {
            case "": Self.page("b", "a", next: "1")
            case "1": Self.page("d", next: "2")
            default: Self.page("c")
            }
        }
        #expect(try list(store) == ["b", "a", "d", "c"])
        #expect(store.asked == ["", "1", "2"])
    }

    @Test func `only a page that fails temporarily is requested again`() throws {
        let store = ScriptedStore { token, attempt in
            guard token == "1" else { return Self.page("a", next: "1") }
            switch attempt {
            case 1: return [.refused(status: 503, body: [], region: nil)]
            case 2: return [.failed("gone")]
            case 3: return [.began, .bytes(Array("<html>".utf8)), .whole]
            default: return Self.page("b")
            }
        }
        #expect(try list(store) == ["a", "b"])
        #expect(store.asked == ["", "1", "1", "1", "1"])
    }

    @Test func `objects of an earlier attempt at a page are discarded`() throws {
        let store = ScriptedStore { _, _ in Self.page("x", next: "9").dropLast() + Self.page("a") }
        #expect(try list(store) == ["a"])
    }

    @Test func `a permanent error ends the listing at once`() throws {
        let store = ScriptedStore { _, _ in [.refused(status: 404, body: [], region: nil)] }
        #expect(throws: BucketRefusal.self) { try list(store) }
        #expect(store.asked.count == 1)
    }

    @Test func `a page that keeps failing is given up after the retries`() throws {
        let store = ScriptedStore { _, _ in [.failed("gone")] }
        #expect(throws: BucketRefusal.self) { try list(store, retries: 2) }
        #expect(store.asked.count == 3)
    }

    @Test func `a listing that repeats its tokens ends`() throws {
        let store = ScriptedStore { token, _ in
            Self.page("a", next: token == "" ? "1" : "\((Int(token) ?? 0) % 5 + 1)")
        }
        #expect(throws: BucketRefusal.self) { try list(store, retries: 0) }
        #expect(store.asked.count < 40)
    }

    @Test func `a bucket's images are listed, and kept when the next listing is interrupted`() async throws {
        let scratch = try Scratch()
        let isBroken = Guarded(false)
        let store = ScriptedStore { token, _ in
            if token == "" { return Self.page("a.jpg", "notes.txt", "b/c.PNG", next: "1") }
            return isBroken.withLock { $0 } ? [.failed("gone")] : Self.page("d.gif")
        }
        let source = Source.bucket(try BucketAddress("s3://photos", in: .init(endpoint: "http://store.test")))
        let catalog = try await scratch.catalog([source]) {
            $0.objectStore = store
            $0.pageRetries = 0
        }
        let images = try await catalog.images(at: 0..<10)
        #expect(images.map(\.name) == ["a.jpg", "c.PNG", "d.gif"])
        #expect(
            images[1].location
                == .object(bucket: 0, path: "b/c.PNG", url: "http://store.test/photos/b/c.PNG"))
        #expect(
            images.allSatisfy { $0.version == ContentVersion(strongEntityTag: "\"ab\"") && $0.metadata.byteCount == 7 })
        isBroken.withLock { $0 = true }
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.total == 3 && catalog.state.problems.count == 1)
        await catalog.close()
        let again = try await scratch.catalog([source]) {
            $0.objectStore = store
            $0.pageRetries = 0
        }
        #expect(again.state.total == 3)
        await again.close()
    }

    @Test func `images of an interrupted first listing stay until it is complete, without duplicates`() async throws {
        let scratch = try Scratch()
        let isBroken = Guarded(true)
        let store = ScriptedStore { token, _ in
            if token == "" { return Self.page("a.jpg", "b.jpg", next: "1") }
            return isBroken.withLock { $0 } ? [.failed("gone")] : Self.page("c.jpg")
        }
        let catalog = try await scratch.catalog([.bucket(try BucketAddress("s3://photos"))]) {
            $0.objectStore = store
            $0.pageRetries = 0
            $0.growthInterval = .zero
        }
        #expect(catalog.state.total == 2)
        let rows = try catalog.indexStore.disk.counters().nextRow
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.total == 2)
        #expect(try catalog.indexStore.disk.counters().nextRow == rows, "no image has a second row")
        isBroken.withLock { $0 = false }
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.total == 3 && catalog.state.problems.count == 0)
        await catalog.close()
    }
}
