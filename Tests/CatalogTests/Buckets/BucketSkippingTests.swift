import Images
import TestSupport
import Testing

@testable import Catalog

/// What a bucket does not show: excluded keys, leftovers, and objects of kinds that are counted instead.
@Suite(.timeLimit(.minutes(1))) struct BucketSkippingTests {
    private func catalog(_ store: FakeObjectStore, _ scratch: Scratch, _ patterns: [String] = []) async throws
        -> Catalog
    {
        let source = Source.bucket(try BucketAddress("s3://photos/p/", in: .init(endpoint: "http://store.test")))
        return try await scratch.catalog([source]) {
            $0.objectStore = store
            $0.excluded = try SkipPatterns(patterns)
        }
    }

    private func paths(_ catalog: Catalog) async throws -> [String] {
        try await catalog.all().compactMap { image in
            if case .object(_, let path, _) = image.location { path } else { nil }
        }
    }

    private func counts(_ catalog: Catalog) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: catalog.state.unshown.kinds.map { ($0.kind.name, $0.count) })
    }

    @Test func `objects that are not shown are counted by each listing`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore([
            "p/a.jpg", "p/b.CR2", "p/x/c.nef", "p/x/d.mov", "p/notes.txt", "p/x/", "p/@eaDir/e.cr2", "other/f.bmp",
        ])
        let catalog = try await catalog(store, scratch)
        #expect(try await paths(catalog) == ["a.jpg"])
        #expect(counts(catalog) == ["raw": 2, "video": 1])
        store.remove("p/b.CR2")
        store.put("p/g.psd")
        await catalog.rescanned()
        #expect(counts(catalog) == ["raw": 1, "video": 1, "psd": 1])
        await catalog.close()
    }

    @Test func `excluded keys are neither shown nor counted, listed or hinted`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["p/a.jpg", "p/private/b.jpg", "p/private/c.nef", "p/x/p/d.gif", "p/x/e.jpg"])
        let catalog = try await catalog(store, scratch, ["private/", "*.gif", "/e.jpg"])
        #expect(try await paths(catalog) == ["a.jpg", "x/e.jpg"])
        #expect(counts(catalog).isEmpty)
        store.put("p/private/f.jpg")
        store.put("p/x/g.jpg")
        catalog.enqueue(["p/private/f.jpg", "p/x/g.jpg"].map { ObjectHint(bucket: "photos", key: Array($0.utf8)) })
        #expect(await eventually { catalog.state.total == 3 })
        #expect(try await paths(catalog) == ["a.jpg", "x/e.jpg", "x/g.jpg"])
        await catalog.close()
    }
}
