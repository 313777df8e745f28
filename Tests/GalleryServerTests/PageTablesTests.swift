import Catalog
import Foundation
import Images
import Testing

@testable import GalleryServer

@Suite struct PageTablesTests {
    private struct Tables: Decodable {
        struct Step: Decodable {
            var name: String
            var pixels: Int
        }

        var steps: [Step]
        var sent: [String]
        var types: [String]
        var displayable: [String]
        var animatable: [String]
        var sorts: [Sort]

        struct Sort: Decodable {
            var name: String
            var ascending: String
            var descending: String
            var hasMonths: Bool
            var isRandom: Bool
        }
    }

    private func tables(in page: String) throws -> Tables {
        let completed = String(decoding: PageTables.complete(Array(page.utf8)), as: UTF8.self)
        let json = completed.split(separator: PageTables.element).last?.split(separator: "</script>").first
        let inner = try #require(json)
        return try JSONDecoder().decode(Tables.self, from: Data(inner.utf8))
    }

    @Test func `the page has a placeholder for the tables`() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let page = try String(contentsOf: root.appendingPathComponent("Public/index.html"), encoding: .utf8)
        #expect(page.components(separatedBy: "\(PageTables.element)</script>").count == 2)
        #expect(page.components(separatedBy: "\(PageTables.menu)</select>").count == 2)
        #expect(page.components(separatedBy: PageTables.root).count == 2)
        #expect(try tables(in: page).steps.first?.name == "160")
    }

    @Test func `every rendition with a fixed size is a step of the page, the smallest first`() throws {
        let steps = try tables(in: "\(PageTables.element)</script>").steps
        let sized = Rendition.allCases.filter { $0.longestSide != nil && $0 != .preview }
        #expect(Set(steps.map(\.name)) == Set(sized.map(\.rawValue)) && steps.count == sized.count)
        #expect(steps.map(\.pixels) == steps.map(\.pixels).sorted())
        for step in steps { #expect(Rendition(name: step.name)?.longestSide == step.pixels) }
    }

    @Test func `the page and the stream agree on the numbers in binary messages`() throws {
        let tables = try tables(in: "\(PageTables.element)</script>")
        #expect(tables.sent.count == StreamRendition.allCases.count + 1 && tables.sent[0].isEmpty)
        for sent in StreamRendition.allCases { #expect(tables.sent[Int(sent.rawValue)] == sent.rendition.rawValue) }
        #expect(tables.types.count == RenditionHead.Format.allCases.count)
        for format in RenditionHead.Format.allCases { #expect(tables.types[Int(format.rawValue)] == format.mediaType) }
        #expect(RenditionHead.Format(mediaType: "image/webp") == .webp)
        #expect(RenditionHead.Format(mediaType: "image/none") == .unknown)
    }

    @Test func `the page's root element names the default view`() throws {
        var view = View.plain
        (view.sort, view.isDescending) = (.taken, true)
        let page = Array("<!doctype html>\(PageTables.root)>".utf8)
        #expect(
            String(decoding: PageTables.complete(page, defaultView: view), as: UTF8.self)
                == #"<!doctype html><html lang="en" data-default-view="sort=taken&amp;direction=desc">"#)
        #expect(
            String(decoding: PageTables.complete(page), as: UTF8.self)
                == #"<!doctype html><html lang="en" data-default-view="">"#)
    }

    @Test func `every format that browsers animate is also displayable`() throws {
        let tables = try tables(in: "\(PageTables.element)</script>")
        #expect(Set(tables.displayable).isSuperset(of: tables.animatable) && !tables.animatable.isEmpty)
        #expect(tables.displayable.contains("image/jpeg") && !tables.displayable.contains("image/heic"))
    }

    @Test func `the menu offers every sort order in its sequence`() throws {
        let page = "\(PageTables.element)</script>\(PageTables.menu)</select>"
        let menu = String(decoding: PageTables.complete(Array(page.utf8)), as: UTF8.self)
            .split(separator: PageTables.menu).last
        #expect(
            menu == """
                <option value="path">Folder order</option><option value="taken">Date taken</option>\
                <option value="name">Name</option><option value="size">File size</option>\
                <option value="added">Date added</option><option value="shuffle">Shuffled</option></select>
                """)
        let sorts = try tables(in: page).sorts
        #expect(sorts.map(\.name) == View.Sort.all(seed: 0).map(\.name))
        #expect(sorts.filter(\.hasMonths).map(\.name) == ["taken"])
        #expect(sorts.filter(\.isRandom).map(\.name) == ["shuffle"])
        #expect(sorts.allSatisfy { !$0.ascending.isEmpty && !$0.descending.isEmpty })
    }

    /// The policy allows the inline scripts of the completed page.
    @Test func `no text can end its element or begin another`() throws {
        let hostile = "</script></select><script>alert(\"&amp;\")</script>"
        let sort = View.Sort.Traits(name: hostile, label: hostile, ascending: hostile, descending: hostile)
        let page = "\(PageTables.element)</script>\(PageTables.menu)</select>"
        let completed = String(decoding: PageTables.complete(Array(page.utf8), sorts: [sort]), as: UTF8.self)
        #expect(completed.components(separatedBy: "<").count == page.components(separatedBy: "<").count + 2)
        #expect(
            completed.hasSuffix(
                """
                <option value="&lt;/script>&lt;/select>&lt;script>alert(&quot;&amp;amp;&quot;)&lt;/script>">\
                &lt;/script>&lt;/select>&lt;script>alert(&quot;&amp;amp;&quot;)&lt;/script></option></select>
                """))
        let rest = try #require(completed.split(separator: PageTables.element).last)
        let json = try #require(rest.split(separator: "</script>").first)
        let read = try JSONDecoder().decode(Tables.self, from: Data(json.utf8))
        #expect(read.sorts.map(\.ascending) == [hostile])
    }

    @Test func `a page without a place for the tables is served as it is`() {
        #expect(PageTables.complete(Array("<!doctype html>".utf8)) == Array("<!doctype html>".utf8))
    }
}
