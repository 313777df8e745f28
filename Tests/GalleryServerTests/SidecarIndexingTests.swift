import Foundation
import Glibc
import Images
import Logging
import RenderWorkers
import Renditions
import Synchronization
import TestSupport
import Testing

@testable import Catalog
@testable import GalleryServer

@Suite struct SidecarIndexingTests {
    private let folder: URL
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sidecars-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("pictures"), withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: folder.appendingPathComponent("pictures/\(name)"))
    }

    private func catalog() async throws -> Catalog {
        var configuration = Catalog.Configuration(dataFolder: folder.appendingPathComponent("data").path)
        configuration.settling = .zero
        let catalog = try await Catalog.open(
            configuration, sources: [.folder(path: folder.appendingPathComponent("pictures").path)], logger: logger)
        await catalog.scanCompleted()
        return catalog
    }

    private func indexer(_ catalog: Catalog, _ workers: HeldWorkers) -> MetadataIndexer {
        MetadataIndexer(
            catalog: catalog, renderer: workers,
            pace: BackgroundPace(retry: .milliseconds(1), longestRetry: .milliseconds(2)), logger: logger)
    }

    private static let xmp = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
        """

    @Test func `real workers read sidecars with their pictures, and whatever is no sidecar says nothing`() async throws
    {
        for (number, name) in ["a", "b", "c", "d"].enumerated() {
            try write("\(name).jpg", try picture(red: UInt8(number), width: 40, height: 30))
        }
        try write("a.xmp", Self.xmp.utf8)
        try write("a.jpg.json", #"{"photoTakenTime":{"timestamp":"1534847537"},"description":"Lake"}"#.utf8)
        try write("b.jpg.xmp", "garbage".utf8)
        try write("b.jpg.json", [UInt8]())
        try write("c.xmp", [UInt8](repeating: 32, count: SidecarFormat.xmp.maximumLength + 1))
        let catalog = try await catalog()
        let workers = try TestGallery.newWorkers()
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        let all = IndexingProgress(done: 4, total: 4)
        for _ in 0..<6 where !(await eventually { indexer.progress == all }) {}
        #expect(indexer.progress == all)
        let images = try await catalog.page(offset: 0, limit: 4).images
        #expect(images.map(\.metadata.width) == [40, 40, 40, 40])
        #expect(images.map(\.metadata.rating) == [4, nil, nil, nil])
        #expect(images.map(\.metadata.description) == ["Lake", nil, nil, nil])
        #expect(images.map(\.metadata.takenAt) == ["2018-08-21T10:32:17Z", nil, nil, nil])
        // A sidecar that changes is read again, with its picture.
        try write("a.xmp", Self.xmp.replacing("4", with: "5").utf8)
        try write("d.xmp", Self.xmp.utf8)
        catalog.rescan()
        let deadline = ContinuousClock.now + .seconds(60)
        var again = images
        while again.map(\.metadata.rating) != [5, nil, nil, 4], ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
            again = try await catalog.page(offset: 0, limit: 4).images
        }
        #expect(again.map(\.metadata.rating) == [5, nil, nil, 4])
        #expect(again[0].metadata.description == "Lake")
        await indexer.stop()
        await catalog.close()
        await workers.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The result for a sidecar or a picture; a sidecar of one byte crashes its worker.
    private static func answer(_ descriptor: Int32) -> Result<RenderResult, RenderError> {
        let source = HeldWorkers.source(descriptor)
        if source.size == 1 { return .failure(.decoderDied("signal 11")) }
        guard source.size == 2 else { return HeldWorkers.good(descriptor) }
        var metadata = ImageMetadata()
        metadata.rating = 2
        return .success(RenderResult(metadata: metadata, source: source))
    }

    @Test func `a sidecar that crashes its worker affects no other, and its picture is read without it`() async throws {
        for number in 0..<20 {
            try write("\(number).jpg", "a picture".utf8)
            try write("\(number).xmp", number == 7 ? "x".utf8 : "xy".utf8)
        }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        workers.answer(Self.answer)
        let indexer = indexer(catalog, workers)
        indexer.start()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 20, total: 20) })
        let images = try await catalog.page(offset: 0, limit: 100).images
        #expect(images.filter { $0.metadata.rating == nil }.map(\.name) == ["7.jpg"])
        #expect(images.allSatisfy { $0.metadata.title == "looked into" && $0.metadata.isBroken == nil })
        await indexer.stop()
        await catalog.close()
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `pictures wait while their sidecars cannot be read`() async throws {
        try write("a.jpg", "a picture".utf8)
        try write("a.xmp", "xy".utf8)
        try write("b.jpg", "a picture".utf8)
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let tries = Mutex(0)
        workers.answer { descriptor in
            guard HeldWorkers.source(descriptor).size == 2 else { return Self.answer(descriptor) }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number < 3 ? .failure(.unavailable("not yet")) : Self.answer(descriptor)
        }
        let indexer = indexer(catalog, workers)
        indexer.start()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 2, total: 2) })
        #expect(tries.withLock { $0 } == 3)
        #expect(try await catalog.page(offset: 0, limit: 2).images.map(\.metadata.rating) == [2, nil])
        await indexer.stop()
        await catalog.close()
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `words come from XMP first, and times and places from the file first`() {
        var file = ImageMetadata()
        (file.title, file.rating, file.keywords, file.takenAt) = ("file", 1, ["file"], "2001")
        file.description = "file"
        file.place = ImageMetadata.Place(latitude: 1, longitude: 1)
        file.width = 10
        file.placeNames = ImageMetadata.PlaceNames()
        file.placeNames?.city = "file"
        file.placeNames?.country = "file"
        var xmp = ImageMetadata()
        (xmp.title, xmp.rating, xmp.keywords, xmp.takenAt) = ("xmp", 2, ["xmp"], "2002")
        xmp.place = ImageMetadata.Place(latitude: 2, longitude: 2)
        xmp.placeNames = ImageMetadata.PlaceNames()
        xmp.placeNames?.city = "xmp"
        xmp.width = 20
        var takeout = ImageMetadata()
        (takeout.description, takeout.keywords, takeout.takenAt) = ("takeout", ["takeout"], "2003")
        takeout.place = ImageMetadata.Place(latitude: 3, longitude: 3)

        let all = file.completed(by: [.xmp: xmp, .takeout: takeout])
        #expect((all.title, all.rating, all.takenAt, all.width) == ("xmp", 2, "2001", 10))
        #expect(all.description == "file")
        #expect(all.keywords == ["xmp"] && all.place == file.place)
        #expect(all.placeNames?.city == "xmp" && all.placeNames?.country == "file")
        let bare = ImageMetadata().completed(by: [.xmp: xmp, .takeout: takeout])
        #expect((bare.title, bare.rating, bare.takenAt, bare.width) == ("xmp", 2, "2002", nil))
        #expect(bare.keywords == ["xmp"] && bare.place == xmp.place)
        let exported = ImageMetadata().completed(by: [.takeout: takeout])
        #expect((exported.description, exported.rating, exported.takenAt) == ("takeout", nil, "2003"))
        #expect(exported.keywords == ["takeout"] && exported.place == takeout.place)
        #expect(file.completed(by: [.takeout: takeout]) == file && file.completed(by: [:]) == file)
    }
}
