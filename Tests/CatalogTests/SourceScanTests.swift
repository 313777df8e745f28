import Images
import Testing

@testable import Catalog

@Suite struct SourceScanTests {
    private func scan(
        _ index: Index, previous: Listing? = nil, growthInterval: Duration, publishGrowth: ((Listing) -> Void)? = nil
    ) throws -> SourceScan {
        try SourceScan(
            index: index, identity: ImageIDGenerator(), settled: [],
            former: previous.map { .init(listing: $0, index: index) }, written: previous,
            growthInterval: growthInterval,
            nextRevision: { 1 }, publishGrowth: publishGrowth)
    }

    private func scannedImage(_ number: Int) -> ScannedImage {
        ScannedImage(location: "http://a.test/\(number)", original: .url)
    }

    @Test func `images appear while the source is still being read`() async throws {
        let index = try Index()
        var shown: [Listing] = []
        let scan = try scan(index, growthInterval: .zero) { shown.append($0) }
        for number in 0..<10 { try scan.add(scannedImage(number)) }
        #expect(shown.map(\.count) == Array(1...10))
        let half = try #require(shown.dropFirst(4).first)
        let rows = try index.read((0..<half.count).map { half[$0].row })
        #expect(rows.map { $0?.scannedImage.location } == (0..<5).map { "http://a.test/\($0)" })
    }

    @Test func `growth is published at a bounded rate, however fast a source is read`() throws {
        var shown = 0
        let scan = try scan(try Index(), growthInterval: .seconds(3600)) { _ in shown += 1 }
        for number in 0..<5000 { try scan.add(scannedImage(number)) }
        #expect(shown <= 1)
        #expect(try scan.finish().listing.count == 5000)
    }

    @Test func `removed images are reported with the image that followed them`() throws {
        let index = try Index()
        let first = try scan(index, growthInterval: .zero)
        for number in 0..<6 { try first.add(scannedImage(number)) }
        let before = try first.finish().listing
        let second = try scan(index, previous: before, growthInterval: .zero)
        for number in [0, 3, 9] { try second.add(scannedImage(number)) }
        let outcome = try second.finish()
        #expect(outcome.hasChanges)
        let gone = outcome.gone.map { ($0.id, $0.anchor) }.reversed()
        #expect(gone.map(\.0) == [1, 2, 4, 5].map { before[$0].id })
        #expect(gone.map(\.1) == [before[3].id, before[3].id, nil, nil])
        // Images that stayed keep their rows, and with them their data in the index.
        #expect([outcome.listing[0].row, outcome.listing[1].row] == [before[0].row, before[3].row])
    }

    @Test func `a cursor's place is found through a chain of removals, and forgotten after many more`() throws {
        let index = try Index()
        let scan = try scan(index, growthInterval: .zero)
        for number in 0..<4 { try scan.add(scannedImage(number)) }
        let listing = try scan.finish().listing
        let snapshot = Snapshot(revision: 1, parts: [.listed(listing, index)])
        var tombstones = Tombstones(capacity: 2)
        let gone = (100..<110).map { ImageID(rawValue: $0) }
        tombstones.insert(gone[0], .before(gone[1]))
        tombstones.insert(gone[1], .before(listing[2].id))
        #expect(tombstones.index(after: gone[0], in: snapshot) == 2)
        tombstones.insert(gone[2], .end(source: 0))
        #expect(tombstones.index(after: gone[2], in: snapshot) == 4)
        tombstones.insert(gone[3], .end(source: 0))
        tombstones.insert(gone[4], .end(source: 0))
        #expect(tombstones.index(after: gone[0], in: snapshot) == nil)
    }
}
