import Dispatch
import Glibc
import Images
import Locking
import Logging
import Synchronization
import Testing

@testable import Catalog

/// Partial scans give the same result as full scans.
@Suite struct UpdateTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static let folders = ["", "a/", "a/2/", "a/10/", "B/", "b/", "c/d/e/", "é/"]
    private static let names = [
        "1.jpg", "01.jpg", "2.png", "10.gif", "A.jpg", "a.jpg", "é.jpg", "scan", "text.txt", "1.jpg.xmp", "a.xmp",
        "2.png.json", "1.jpg.supplemental-metadata.json",
    ]

    /// Performs a random operation in the folder, whether or not it succeeds.
    private func act(_ random: inout Random) {
        func path() -> String {
            let folder = Self.folders.randomElement(using: &random) ?? ""
            return scratch.path("pictures/" + folder + (Self.names.randomElement(using: &random) ?? ""))
        }
        func folder() -> String {
            scratch.path("pictures/" + (Self.folders.dropFirst().randomElement(using: &random) ?? "")).dropSlash
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5:
            let path = path().dropFirst(scratch.path.utf8.count + 1)
            let content = Bool.random(using: &random) ? "\u{89}PNG\r\n\u{1a}\n" : "text"
            _ = try? scratch.file(String(path), content + String(repeating: "x", count: Int(random.next() % 8)))
        case 5, 6: unlink(path())
        case 7: rename(path(), path())
        case 8: rename(folder(), folder())
        case 9: rename(folder(), scratch.path("outside"))
        case 10: rename(scratch.path("outside"), folder())
        default: symlink("../" + (Self.names.randomElement(using: &random) ?? ""), path())
        }
    }

    @Test(arguments: 1...6) func `an update from events gives the same order as a full scan`(seed: UInt64)
        async throws
    {
        var random = Random(state: seed)
        try scratch.folder("pictures")
        for _ in 0..<40 { act(&random) }
        let catalog = try await scratch.catalog { $0.watches = true }
        let wholes = catalog.scanning.sync { catalog.records[0].readings }
        for round in 0..<25 {
            for _ in 0..<Int.random(in: 1...6, using: &random) { act(&random) }
            // Reads the events so far, and then rescans.
            let watch = try #require(catalog.scanning.sync { catalog.records[0].watch })
            _ = catalog.watching.sync { watch.readEvents() }
            catalog.refresh([0])
            await catalog.scanCompleted()
            let all = try await catalog.all()
            let other = try await scratch.catalog(data: "other-\(seed)-\(round)")
            let expected = try await other.all()
            #expect(all.map(\.path) == expected.map(\.path), "round \(round)")
            #expect(all.map(\.id) == expected.map(\.id) && all.map(\.version) == expected.map(\.version))
            #expect(try sidecars(catalog) == sidecars(other), "round \(round)")
            await other.close()
        }
        // Otherwise a full scan was made, and nothing was tested.
        #expect(catalog.scanning.sync { catalog.records[0].readings } == wholes)
        try await isWritten(catalog)
        await catalog.close()
    }

    @Test(
        arguments: zip(1...6, [DirtySet.Extent.everything, .times, .everything, .times, .everything, .times])
    ) func `a check for changes gives the same result as a full scan`(
        seed: UInt64, extent: DirtySet.Extent
    ) async throws {
        var random = Random(state: seed &* 77)
        try scratch.folder("pictures")
        for _ in 0..<40 { act(&random) }
        var catalog = try await scratch.catalog()
        #expect(catalog.scanning.sync { catalog.records[0].readings } == 1)
        for round in 0..<25 {
            for _ in 0..<Int.random(in: 0...6, using: &random) { act(&random) }
            let isRestart = round % 5 == 4
            if isRestart {
                await catalog.close()
                catalog = try await scratch.catalog()
            } else {
                catalog.rescan([0], extent)
                await catalog.scanCompleted()
            }
            let all = try await catalog.all()
            let other = try await scratch.catalog(data: "other-\(seed)-\(round)")
            let expected = try await other.all()
            #expect(all.map(\.path) == expected.map(\.path), "round \(round)")
            #expect(all.map(\.id) == expected.map(\.id))
            // Folder times do not show that a file was overwritten in place.
            if extent == .everything || isRestart {
                #expect(all.map(\.version) == expected.map(\.version))
                #expect(try sidecars(catalog) == sidecars(other), "round \(round)")
            }
            await other.close()
            // Otherwise a full scan was made, and nothing was tested.
            #expect(catalog.scanning.sync { catalog.records[0].readings } == (round < 4 ? 1 : 0), "round \(round)")
        }
        try await isWritten(catalog)
        await catalog.close()
    }

    /// The sidecars of each image, in order.
    private func sidecars(_ catalog: Catalog) throws -> [SidecarVersion?] {
        let (listing, index) = try #require(catalog.mutableState.withLock(\.snapshot.parts[0].listed))
        let rows = try index.read((0..<listing.count).map { listing[$0].row })
        return rows.map { $0?.scannedImage.sidecars }
    }

    /// Whether the index stores exactly what is visible.
    private func isWritten(_ catalog: Catalog) async throws {
        let shown = try await catalog.all().map(\.id)
        let index = try Index(path: scratch.path("data/catalog.sqlite"), maximumPages: nil)
        let listing = try #require(try index.source(catalog.sources[0].key)).listing
        #expect((0..<listing.count).map { listing[$0].id } == shown)
        let folders = try #require(try index.folders(of: catalog.sources[0].key))
        #expect(catalog.scanning.sync { catalog.records[0].folders?.fingerprints } == folders)
    }
}

extension String {
    fileprivate var dropSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
