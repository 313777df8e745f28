import MetadataLog
import GRDB
import Images
import Locking
import Logging
import Postgres
import TestSupport
import Testing

@testable import Catalog

/// How the nodes share metadata.
enum SharedIn: CaseIterable, Sendable {
    case memory, postgres
}

/// Nodes of one gallery: the same folder, each with an index of its own.
private final class Nodes {
    let scratch: Scratch
    private let memory = MemoryLog()
    private let server: PostgresServer?
    private let kind: SharedIn
    private var ends: [() async -> Void] = []

    init(_ kind: SharedIn, files: Int) async throws {
        self.kind = kind
        scratch = try Scratch()
        for number in 0..<files { try scratch.file("pictures/\(number).jpg", "\(number)") }
        server = kind == .postgres ? await PostgresServer() : nil
        try #require(kind == .memory || server != nil)
    }

    func node(_ name: String) async throws -> (catalog: Catalog, sharing: any MetadataSharing, end: () async -> Void) {
        let sharing: any MetadataSharing
        let start: (Catalog) async -> Void
        let stop: () async -> Void
        if let server {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let log = try PostgresMetadataLog(PostgresAddress(server.url()), gallery: "test", logger: logger)
            (sharing, start, stop) = (log, { await log.start($0) }, { await log.stop() })
        } else {
            let own = MemorySharing(memory)
            (sharing, start, stop) = (own, { own.start($0) }, { own.stop() })
        }
        let catalog = try await scratch.catalog(data: name) { $0.sharing = sharing }
        await start(catalog)
        var hasEnded = false
        let end = {
            guard !hasEnded else { return }
            hasEnded = true
            await stop()
            await catalog.close()
        }
        ends.append(end)
        return (catalog, sharing, end)
    }

    /// Makes the shared log unreachable, or reachable again.
    func setAway(_ isAway: Bool) async {
        guard let server else { return memory.setAway(isAway) }
        if isAway { server.end() } else { _ = await server.start() }
    }

    func end() async { for end in ends { await end() } }
}

@Suite(.serialized, .enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(3))) struct SharingTests {
    private static func metadata(_ width: Int) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.width = width
        metadata.height = 100
        metadata.mediaType = "image/jpeg"
        metadata.takenAt = "2020-01-0\(width % 9 + 1)T00:00:00Z"
        metadata.title = "The \(width)th"
        metadata.description = "What \(width) shows"
        metadata.readerVersion = ImageMetadata.currentReader
        return metadata
    }

    private func learn(_ catalog: Catalog) async throws {
        for (number, image) in try await catalog.all().enumerated() {
            catalog.learned(Self.metadata(1_000 - number), version: image.version, of: image.id)
        }
    }

    private func isKnown(_ catalog: Catalog, _ count: Int) async -> Bool {
        for _ in 0..<2_000 {
            if (try? await catalog.all().count { $0.metadata.width != nil }) == count { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    private func unindexed(_ catalog: Catalog) throws -> [UnindexedFile] {
        var place: IndexingPosition?
        return try catalog.unindexed(after: &place, limit: 1_000)
    }

    @Test(arguments: SharedIn.allCases)
    func `metadata learned by one node reaches the others, which need not index the files`(kind: SharedIn)
        async throws
    {
        let nodes = try await Nodes(kind, files: 12)
        let (one, other) = (try await nodes.node("one").catalog, try await nodes.node("other").catalog)
        try await learn(one)
        #expect(await isKnown(other, 12))
        var byTime = View.plain
        byTime.sort = .taken
        let sequences = [try await one.order(of: byTime).sequence, try await other.order(of: byTime).sequence]
        #expect(sequences[0] == sequences[1])
        #expect(try await one.all() == other.all())
        #expect(try unindexed(other).isEmpty)
        // A node that joins later, with an empty disk.
        let late = try await nodes.node("late").catalog
        #expect(await isKnown(late, 12))
        #expect(try unindexed(late).isEmpty)
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `unpublished metadata is published after an outage and a restart`(kind: SharedIn) async throws {
        let nodes = try await Nodes(kind, files: 5)
        await nodes.setAway(true)
        let first = try await nodes.node("one")
        try await learn(first.catalog)
        await first.end()
        let again = try await nodes.node("one").catalog
        #expect(await isKnown(again, 5))
        #expect(try again.countUnpublished() == 5)
        await nodes.setAway(false)
        let other = try await nodes.node("other").catalog
        #expect(await isKnown(other, 5))
        #expect(await eventually { (try? again.countUnpublished()) == 0 })
        // Received metadata is not published again.
        #expect(try other.countUnpublished() == 0)
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `a file is claimed by one node, or by all while the shared log is unreachable`(kind: SharedIn) async throws {
        let nodes = try await Nodes(kind, files: 8)
        let (one, other) = (try await nodes.node("one"), try await nodes.node("other"))
        let contents = try unindexed(one.catalog).map { ImageContent(image: $0.image, version: $0.version) }
        func granted(_ sharing: any MetadataSharing, _ contents: [ImageContent]) async -> Set<ImageContent> {
            await withCheckedContinuation { published in sharing.claim(contents) { published.resume(returning: $0) } }
        }
        let first = await granted(one.sharing, Array(contents.prefix(5)))
        let second = await granted(other.sharing, contents)
        #expect(first.count == 5)
        #expect(second == Set(contents).subtracting(first))
        // Contents that could not be indexed can be claimed by others.
        one.sharing.release([contents[0]])
        var third: Set<ImageContent> = []
        for _ in 0..<1_000 where third.isEmpty { third = await granted(other.sharing, [contents[0]]) }
        #expect(third == [contents[0]])
        // So can the claims of a node that is gone.
        await one.end()
        var fourth: Set<ImageContent> = []
        for _ in 0..<1_000 where fourth.isEmpty { fourth = await granted(other.sharing, [contents[1]]) }
        #expect(fourth == [contents[1]])
        await nodes.setAway(true)
        let alone = try await nodes.node("alone")
        let all = await granted(alone.sharing, contents)
        #expect(all == Set(contents))
        await nodes.end()
    }

    @Test func `metadata received for older content does not replace that of the current content`()
        async throws
    {
        let nodes = try await Nodes(.memory, files: 2)
        let catalog = try await nodes.node("one").catalog
        let images = try await catalog.all()
        catalog.learned(Self.metadata(7), version: images[0].version, of: images[0].id)
        await catalog.metadata.drain()
        let old = ContentVersion(rawValue: 5)
        try catalog.received(images.map { SharedMetadata(image: $0.id, version: old, metadata: Self.metadata(9)) })
        #expect(try await catalog.all().map(\.metadata.width) == [7, nil])
        // Metadata of the same content is combined.
        var more = ImageMetadata()
        more.placeholder = [1, 2, 3]
        more.readerVersion = ImageMetadata.currentReader
        try catalog.received([SharedMetadata(image: images[0].id, version: images[0].version, metadata: more)])
        let known = try await catalog.all()[0].metadata
        #expect(known.width == 7 && known.placeholder == [1, 2, 3])
        await nodes.end()
    }

    @Test func `received metadata is bounded, whatever the database contains`() async throws {
        let nodes = try await Nodes(.memory, files: 1)
        let catalog = try await nodes.node("one").catalog
        let image = try await catalog.all()[0]
        var metadata = ImageMetadata()
        (metadata.width, metadata.height, metadata.frames) = (.max, 1, -1)
        (metadata.byteCount, metadata.orientation, metadata.rating, metadata.readerVersion) = (-5, 9, 77, .max)
        metadata.placeholder = Array(repeating: 1, count: 1_000)
        metadata.title = String(repeating: "x", count: 1 << 20)
        metadata.place = ImageMetadata.Place(latitude: 91, longitude: .infinity)
        var camera = ImageMetadata.Camera()
        (camera.sensitivity, camera.aperture) = (-1, .nan)
        metadata.camera = camera
        try catalog.received([SharedMetadata(image: image.id, version: image.version, metadata: metadata)])
        let known = try await catalog.all()[0].metadata
        #expect(known.width == nil && known.height == 1 && known.frames == nil && known.byteCount != -5)
        #expect(known.orientation == nil && known.rating == nil && known.placeholder == nil && known.place == nil)
        #expect(known.camera?.sensitivity == nil && known.camera?.aperture == nil)
        #expect(known.title?.utf8.count == ImageMetadata.maximumTitle)
        #expect(known.readerVersion == ImageMetadata.currentReader)
        await nodes.end()
    }

    @Test func `the latest received metadata of a remote image wins, unless this node has some unpublished`()
        async throws
    {
        let scratch = try Scratch()
        let sharing = MemorySharing(MemoryLog())
        let template = try URLTemplate("http://a.test/{index}", count: 2)
        let catalog = try await scratch.catalog([.template(template)]) { $0.sharing = sharing }
        let ids = try await catalog.all().map(\.id)
        let contents = (1...3).map { ContentVersion(rawValue: $0) }
        for id in ids { catalog.learned(Self.metadata(1), version: contents[0], of: id) }
        await catalog.metadata.drain()
        try catalog.published(try catalog.unpublished(limit: 10))
        catalog.learned(Self.metadata(3), version: contents[2], of: ids[0])
        await catalog.metadata.drain()
        try catalog.received(ids.map { SharedMetadata(image: $0, version: contents[1], metadata: Self.metadata(2)) })
        let widths = try await catalog.all().map(\.metadata.width)
        #expect(widths == [3, 2])
        await catalog.close()
    }

    @Test func `the latest metadata is published first, and then the older in batches`() async throws {
        let scratch = try Scratch()
        let template = try URLTemplate("http://a.test/{index}", count: 25)
        var catalog = try await scratch.catalog([.template(template)])
        let ids = try await catalog.all().map(\.id)
        for id in ids { catalog.learned(Self.metadata(1), version: nil, of: id) }
        await catalog.close()
        let sharing = MemorySharing(MemoryLog())
        catalog = try await scratch.catalog([.template(template)]) { $0.sharing = sharing }
        _ = try catalog.position(in: "a", isAnew: false)
        #expect(try catalog.countUnpublished() == 25)
        for id in ids.prefix(2) {
            catalog.learned(Self.metadata(2), version: nil, of: id)
            await catalog.metadata.drain()
        }
        let first = try catalog.unpublished(limit: 2)
        #expect(first.metadata.map(\.image) == [ids[1], ids[0]])
        try catalog.published(first)
        var published: Set<ImageID> = []
        var parts = 0
        while true {
            let some = try catalog.unpublished(limit: 10)
            if some.isEmpty { break }
            published.formUnion(some.metadata.map(\.image))
            try catalog.published(some)
            parts += 1
        }
        #expect(published == Set(ids) && parts == 3)
        #expect(try catalog.countUnpublished() == 0)
        await catalog.close()
    }

    @Test func `metadata from before sharing is published once sharing starts, and to each new log in full`()
        async throws
    {
        let scratch = try Scratch()
        for number in 0..<3 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        try await learn(catalog)
        await catalog.close()
        let sharing = MemorySharing(MemoryLog())
        catalog = try await scratch.catalog { $0.sharing = sharing }
        #expect(try catalog.countUnpublished() == 0)
        #expect(try catalog.position(in: "a", isAnew: false) == 0)
        let unpublished = try catalog.unpublished(limit: 10)
        #expect(unpublished.metadata.count == 3)
        // Metadata that changes while it is being published is published again.
        let image = unpublished.metadata[0]
        catalog.learned(Self.metadata(3), version: image.version, of: image.image)
        await catalog.metadata.drain()
        try catalog.published(unpublished)
        #expect(try catalog.unpublished(limit: 10).metadata.map(\.image) == [image.image])
        try catalog.received([], of: "a", after: 0, upTo: 9)
        #expect(throws: OutboxError.self) { try catalog.received([], of: "a", after: 0, upTo: 12) }
        #expect(try catalog.position(in: "a", isAnew: false) == 9)
        #expect(try catalog.position(in: "a", isAnew: true) == 0)
        #expect(try catalog.countUnpublished() == 3)
        #expect(try catalog.position(in: "b", isAnew: false) == 0)
        #expect(throws: OutboxError.self) { try catalog.received([], of: "a", after: 9, upTo: 12) }
        await catalog.close()
    }
}
