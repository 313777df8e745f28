import Images
import Locking
import Testing

@testable import Catalog

/// A store that answers as a test says: by the token it is asked with ("" for the first page) and how often it was.
private final class ScriptedStore: ObjectStoreAsking {
    typealias Script = @Sendable (_ token: String, _ attempt: Int) -> [ObjectStoreEvent]

    private let script: Script
    private let tokens = Guarded<[String]>([])

    init(_ script: @escaping Script) { self.script = script }

    var asked: [String] { tokens.withLock { $0 } }

    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreQuestion {
        let query = url.split(separator: "?").last ?? ""
        let token = query.hasPrefix("continuation-token=") ? query.dropFirst(19).prefix { $0 != "&" } : ""
        let attempt = tokens.withLock { tokens in
            tokens.append(String(token))
            return tokens.count { $0 == token }
        }
        for event in script(String(token), attempt) { events(event) }
        return Question()
    }

    private struct Question: ObjectStoreQuestion {
        func cancel() {}
    }
}

@Suite(.timeLimit(.minutes(1))) struct BucketListingTests {
    /// A page with these keys and, unless it is the last, the next one's token.
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

    @Test func `all pages come, each once, in their order`() throws {
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

    @Test func `a page that fails in passing is asked for again, and only that`() throws {
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

    @Test func `what was told before a page begins anew is void`() throws {
        let store = ScriptedStore { _, _ in Self.page("x", next: "9").dropLast() + Self.page("a") }
        #expect(try list(store) == ["a"])
    }

    @Test func `a refusal that will not pass ends the listing at once`() throws {
        let store = ScriptedStore { _, _ in [.refused(status: 404, body: [], region: nil)] }
        #expect(throws: BucketRefusal.self) { try list(store) }
        #expect(store.asked.count == 1)
    }

    @Test func `a page that never comes is given up`() throws {
        let store = ScriptedStore { _, _ in [.failed("gone")] }
        #expect(throws: BucketRefusal.self) { try list(store, retries: 2) }
        #expect(store.asked.count == 3)
    }

    @Test func `a listing that goes in a circle ends`() throws {
        let store = ScriptedStore { token, _ in
            Self.page("a", next: token == "" ? "1" : "\((Int(token) ?? 0) % 5 + 1)")
        }
        #expect(throws: BucketRefusal.self) { try list(store, retries: 0) }
        #expect(store.asked.count < 40)
    }

    @Test func `a catalog of a bucket has its pictures, and keeps them when the next listing breaks off`() async throws
    {
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
            images.allSatisfy { $0.version == ContentVersion(strongEntityTag: "\"ab\"") && $0.facts.byteCount == 7 })
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

    @Test func `of a first listing that breaks off nothing goes while it is read again`() async throws {
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
        let rows = try catalog.shelf.disk.counters().nextRow
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.total == 2)
        #expect(try catalog.shelf.disk.counters().nextRow == rows, "no picture has a second row")
        isBroken.withLock { $0 = false }
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.total == 3 && catalog.state.problems.count == 0)
        await catalog.close()
    }
}
