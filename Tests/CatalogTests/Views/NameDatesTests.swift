import Images
import Testing

@testable import Catalog

@Suite struct NameDatesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func sorted(_ catalog: Catalog, _ search: String = "") async throws -> [String] {
        let view = try View { ["sort": "taken", "q": search][$0] }
        return try await catalog.page(offset: 0, limit: 100, of: view).images.map(\.name)
    }

    @Test func `a name tells the date of a picture that nothing else dates`() async throws {
        for name in ["20190612_080000.jpg", "IMG-20190612-WA0001.jpg", "IMG-20190612-WA0002.jpg", "x.jpg", "y.jpg"] {
            try scratch.file("pictures/" + name)
        }
        let catalog = try await scratch.catalog()
        let images = try await catalog.all()
        let dates = Dictionary(uniqueKeysWithValues: images.map { ($0.name, $0.metadata.takenAt) })
        #expect(dates["20190612_080000.jpg"] == "2019-06-12T08:00:00Z" && dates["x.jpg"] == .some(nil))
        #expect(dates["IMG-20190612-WA0001.jpg"] == "2019-06-12")
        #expect(images.map(\.isDateFromName) == [true, true, true, false, false])
        // What the file itself says counts more.
        var metadata = ImageMetadata()
        metadata.takenAt = "2019-06-12T07:00:00Z"
        catalog.learned(metadata, version: images[4].version, of: images[4].id)
        metadata.takenAt = "2019-07-01T00:00:00Z"
        catalog.learned(metadata, version: images[0].version, of: images[0].id)
        await catalog.metadata.drain()
        #expect(
            try await sorted(catalog) == [
                "IMG-20190612-WA0001.jpg", "IMG-20190612-WA0002.jpg", "y.jpg", "20190612_080000.jpg", "x.jpg",
            ])
        #expect(
            try await sorted(catalog, "taken:2019-06") == [
                "IMG-20190612-WA0001.jpg", "IMG-20190612-WA0002.jpg", "y.jpg",
            ])
        let dated = try #require(try await catalog.image(images[0].id))
        #expect(dated.metadata.takenAt == "2019-07-01T00:00:00Z" && !dated.isDateFromName)
        await catalog.close()
    }

    @Test func `names of list entries have dates, unless the list states one, and numbers of templates have none`()
        async throws
    {
        let lines = """
            {"url":"https://a.test/20190612_080000.jpg"}
            {"url":"https://a.test/20190612_090000.jpg","takenAt":"2018-01-01T00:00:00Z"}
            {"url":"https://a.test/1.jpg","name":"IMG_20190612_100000"}
            """
        let list = try scratch.file("list.jsonl", lines)
        let template = try URLTemplate("https://a.test/2019-06-12_{index}.jpg", count: 31)
        let catalog = try await scratch.catalog([.list(path: list, format: .jsonLines), .template(template)])
        let images = try await catalog.all()
        #expect(
            images.prefix(3).map(\.metadata.takenAt) == [
                "2019-06-12T08:00:00Z", "2018-01-01T00:00:00Z", "2019-06-12T10:00:00Z",
            ])
        #expect(images.prefix(3).map(\.isDateFromName) == [true, false, true])
        #expect(images.count == 34 && images.dropFirst(3).allSatisfy { $0.metadata.takenAt == nil })
        await catalog.close()
    }

    @Test func `dates in names can be switched off and on again`() async throws {
        for name in ["20190612.jpg", "a.jpg"] { try scratch.file("pictures/" + name) }
        for isOn in [true, false, true] {
            let catalog = try await scratch.catalog { $0.datesFromNames = isOn }
            let images = try await catalog.all()
            #expect(images[0].metadata.takenAt == (isOn ? "2019-06-12" : nil) && images[0].isDateFromName == isOn)
            #expect(try await sorted(catalog, "taken:2019") == (isOn ? ["20190612.jpg"] : []))
            // Saved columns of the other setting are not used.
            try catalog.indexStore.disk.columns.save(to: catalog.indexStore.disk.database, isLast: true)
            await catalog.close()
        }
    }
}
