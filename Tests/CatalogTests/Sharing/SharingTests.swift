import FactsLog
import GRDB
import Images
import Locking
import Logging
import Postgres
import TestSupport
import Testing

@testable import Catalog

/// In what nodes share what they learn.
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

    func node(_ name: String) async throws -> (catalog: Catalog, sharing: any FactsSharing, end: () async -> Void) {
        let sharing: any FactsSharing
        let start: (Catalog) async -> Void
        let stop: () async -> Void
        if let server {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let log = try PostgresFactsLog(PostgresAddress(server.url()), gallery: "test", logger: logger)
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

    /// Whether nobody finds what is shared.
    func setAway(_ isAway: Bool) async {
        guard let server else { return memory.setAway(isAway) }
        if isAway { server.end() } else { _ = await server.start() }
    }

    func end() async { for end in ends { await end() } }
}

@Suite(.serialized, .enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(3))) struct SharingTests {
    private static func facts(_ width: Int) -> ImageFacts {
        var facts = ImageFacts()
        facts.width = width
        facts.height = 100
        facts.mediaType = "image/jpeg"
        facts.takenAt = "2020-01-0\(width % 9 + 1)T00:00:00Z"
        facts.title = "The \(width)th"
        facts.examination = ImageFacts.presentExamination
        return facts
    }

    private func learn(_ catalog: Catalog) async throws {
        for (number, image) in try await catalog.all().enumerated() {
            catalog.learned(Self.facts(1_000 - number), version: image.version, of: image.id)
        }
    }

    private func isKnown(_ catalog: Catalog, _ count: Int) async -> Bool {
        for _ in 0..<2_000 {
            if (try? await catalog.all().count { $0.facts.width != nil }) == count { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    private func unexamined(_ catalog: Catalog) throws -> [UnexaminedFile] {
        var place: ExaminationPlace?
        return try catalog.unexamined(after: &place, limit: 1_000)
    }

    @Test(arguments: SharedIn.allCases)
    func `what one node learns the others know, order by and search in, and need not look into`(kind: SharedIn)
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
        #expect(try unexamined(other).isEmpty)
        // One that comes later, with an empty disk.
        let late = try await nodes.node("late").catalog
        #expect(await isKnown(late, 12))
        #expect(try unexamined(late).isEmpty)
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `what could not be told is told after a restart, and what comes of an outage too`(kind: SharedIn) async throws
    {
        let nodes = try await Nodes(kind, files: 5)
        await nodes.setAway(true)
        let first = try await nodes.node("one")
        try await learn(first.catalog)
        await first.end()
        let again = try await nodes.node("one").catalog
        #expect(await isKnown(again, 5))
        #expect(try again.countUntold() == 5)
        await nodes.setAway(false)
        let other = try await nodes.node("other").catalog
        #expect(await isKnown(other, 5))
        #expect(await eventually { (try? again.countUntold()) == 0 })
        // What was heard is told to nobody.
        #expect(try other.countUntold() == 0)
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `a file is given to one node, and to all while nobody can be asked`(kind: SharedIn) async throws {
        let nodes = try await Nodes(kind, files: 8)
        let (one, other) = (try await nodes.node("one"), try await nodes.node("other"))
        let contents = try unexamined(one.catalog).map { ImageContent(image: $0.image, version: $0.version) }
        func granted(_ sharing: any FactsSharing, _ contents: [ImageContent]) async -> Set<ImageContent> {
            await withCheckedContinuation { told in sharing.claim(contents) { told.resume(returning: $0) } }
        }
        let first = await granted(one.sharing, Array(contents.prefix(5)))
        let second = await granted(other.sharing, contents)
        #expect(first.count == 5)
        #expect(second == Set(contents).subtracting(first))
        // What nothing could be learnt of is for others.
        one.sharing.release([contents[0]])
        var third: Set<ImageContent> = []
        for _ in 0..<1_000 where third.isEmpty { third = await granted(other.sharing, [contents[0]]) }
        #expect(third == [contents[0]])
        // So is what a node had that is gone.
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

    @Test func `what others say of an older content takes the place of nothing that is known of the present one`()
        async throws
    {
        let nodes = try await Nodes(.memory, files: 2)
        let catalog = try await nodes.node("one").catalog
        let images = try await catalog.all()
        catalog.learned(Self.facts(7), version: images[0].version, of: images[0].id)
        await catalog.facts.drain()
        let old = ContentVersion(rawValue: 5)
        try catalog.heard(images.map { SharedFacts(image: $0.id, version: old, facts: Self.facts(9)) })
        #expect(try await catalog.all().map(\.facts.width) == [7, nil])
        // The same content adds up.
        var more = ImageFacts()
        more.placeholder = [1, 2, 3]
        more.examination = ImageFacts.presentExamination
        try catalog.heard([SharedFacts(image: images[0].id, version: images[0].version, facts: more)])
        let known = try await catalog.all()[0].facts
        #expect(known.width == 7 && known.placeholder == [1, 2, 3])
        await nodes.end()
    }

    @Test func `what is heard is within the bounds of what can be, whatever stands in the database`() async throws {
        let nodes = try await Nodes(.memory, files: 1)
        let catalog = try await nodes.node("one").catalog
        let image = try await catalog.all()[0]
        var facts = ImageFacts()
        (facts.width, facts.height, facts.frames) = (.max, 1, -1)
        (facts.byteCount, facts.orientation, facts.rating, facts.examination) = (-5, 9, 77, .max)
        facts.placeholder = Array(repeating: 1, count: 1_000)
        facts.title = String(repeating: "x", count: 1 << 20)
        facts.place = ImageFacts.Place(latitude: 91, longitude: .infinity)
        var camera = ImageFacts.Camera()
        (camera.sensitivity, camera.aperture) = (-1, .nan)
        facts.camera = camera
        try catalog.heard([SharedFacts(image: image.id, version: image.version, facts: facts)])
        let known = try await catalog.all()[0].facts
        #expect(known.width == nil && known.height == 1 && known.frames == nil && known.byteCount != -5)
        #expect(known.orientation == nil && known.rating == nil && known.placeholder == nil && known.place == nil)
        #expect(known.camera?.sensitivity == nil && known.camera?.aperture == nil)
        #expect(known.title?.utf8.count == ImageFacts.maximumTitle)
        #expect(known.examination == ImageFacts.presentExamination)
        await nodes.end()
    }

    @Test func `of a remote picture the content that was told last is believed, unless this node has one to tell`()
        async throws
    {
        let scratch = try Scratch()
        let sharing = MemorySharing(MemoryLog())
        let template = try URLTemplate("http://a.test/{index}", count: 2)
        let catalog = try await scratch.catalog([.template(template)]) { $0.sharing = sharing }
        let ids = try await catalog.all().map(\.id)
        let contents = (1...3).map { ContentVersion(rawValue: $0) }
        for id in ids { catalog.learned(Self.facts(1), version: contents[0], of: id) }
        await catalog.facts.drain()
        try catalog.told(try catalog.untold(limit: 10))
        catalog.learned(Self.facts(3), version: contents[2], of: ids[0])
        await catalog.facts.drain()
        try catalog.heard(ids.map { SharedFacts(image: $0, version: contents[1], facts: Self.facts(2)) })
        let widths = try await catalog.all().map(\.facts.width)
        #expect(widths == [3, 2])
        await catalog.close()
    }

    @Test func `what was learnt last is told first, and then all from before, in parts`() async throws {
        let scratch = try Scratch()
        let template = try URLTemplate("http://a.test/{index}", count: 25)
        var catalog = try await scratch.catalog([.template(template)])
        let ids = try await catalog.all().map(\.id)
        for id in ids { catalog.learned(Self.facts(1), version: nil, of: id) }
        await catalog.close()
        let sharing = MemorySharing(MemoryLog())
        catalog = try await scratch.catalog([.template(template)]) { $0.sharing = sharing }
        _ = try catalog.position(in: "a", isAnew: false)
        #expect(try catalog.countUntold() == 25)
        for id in ids.prefix(2) {
            catalog.learned(Self.facts(2), version: nil, of: id)
            await catalog.facts.drain()
        }
        let first = try catalog.untold(limit: 2)
        #expect(first.facts.map(\.image) == [ids[1], ids[0]])
        try catalog.told(first)
        var told: Set<ImageID> = []
        var parts = 0
        while true {
            let some = try catalog.untold(limit: 10)
            if some.isEmpty { break }
            told.formUnion(some.facts.map(\.image))
            try catalog.told(some)
            parts += 1
        }
        #expect(told == Set(ids) && parts == 3)
        #expect(try catalog.countUntold() == 0)
        await catalog.close()
    }

    @Test func `what was learnt while nobody shared is told as soon as somebody does, and another log is told all`()
        async throws
    {
        let scratch = try Scratch()
        for number in 0..<3 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        try await learn(catalog)
        await catalog.close()
        let sharing = MemorySharing(MemoryLog())
        catalog = try await scratch.catalog { $0.sharing = sharing }
        #expect(try catalog.countUntold() == 0)
        #expect(try catalog.position(in: "a", isAnew: false) == 0)
        let untold = try catalog.untold(limit: 10)
        #expect(untold.facts.count == 3)
        // What is learnt while it is told is told again.
        let image = untold.facts[0]
        catalog.learned(Self.facts(3), version: image.version, of: image.image)
        await catalog.facts.drain()
        try catalog.told(untold)
        #expect(try catalog.untold(limit: 10).facts.map(\.image) == [image.image])
        try catalog.heard([], of: "a", after: 0, upTo: 9)
        #expect(throws: LedgerError.self) { try catalog.heard([], of: "a", after: 0, upTo: 12) }
        #expect(try catalog.position(in: "a", isAnew: false) == 9)
        #expect(try catalog.position(in: "a", isAnew: true) == 0)
        #expect(try catalog.countUntold() == 3)
        #expect(try catalog.position(in: "b", isAnew: false) == 0)
        #expect(throws: LedgerError.self) { try catalog.heard([], of: "a", after: 9, upTo: 12) }
        await catalog.close()
    }
}
