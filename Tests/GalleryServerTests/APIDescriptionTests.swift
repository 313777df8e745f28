import Catalog
import Encodings
import Foundation
import HTTPServer
import Images
import Testing

@testable import GalleryServer

/// What openapi.json repeats from the tables of the code.
@Suite struct APIDescriptionTests {
    private func text() throws -> Data {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        return try Data(contentsOf: root.appendingPathComponent("Public/api/openapi.json"))
    }

    private func description(at path: String...) throws -> JSONField {
        try path.reduce(JSONField(text())) { try $0.required($1) }
    }

    private func words(_ field: JSONField) throws -> [String] {
        try field.list { (word) throws(JSONFieldError) in try word.text() }
    }

    @Test func `every route is described with the rule for who may use it, and nothing else is`() async throws {
        let gallery = try await TestGallery(files: [:])
        let routes = Set(
            gallery.responder.routes.map { "\($0.method) \($0.pattern): \($0.rule?.name ?? "no rule")" })
        await gallery.close()
        let document = try #require(try JSONSerialization.jsonObject(with: text()) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var described: Set<String> = []
        for (path, operations) in paths {
            for (method, operation) in operations where method != "parameters" {
                let rule = (operation as? [String: Any])?["x-access"] as? String
                described.insert("\(method.uppercased()) \(path): \(rule ?? "no rule")")
            }
        }
        // The description itself is one of the front's files.
        #expect(described.remove("GET /api/openapi.json: everyone") != nil)
        #expect(described == routes)
    }

    @Test func `every sort order is described`() throws {
        let names = View.Sort.all(seed: 0).map(\.name)
        let described = try description(at: "components", "parameters", "sort", "schema")
        #expect(try words(described.required("enum")) == names)
        #expect(try described.required("default").text() == names[0])
    }

    @Test func `every rendition is described`() throws {
        #expect(try words(description(at: "components", "schemas", "Rendition", "enum")) == Rendition.names)
    }

    @Test(arguments: ImageFormat.all.filter { $0.decoder != nil }, ["200", "206"])
    func `every format of originals is described`(format: ImageFormat, status: String) throws {
        let content = try description(
            at: "paths", "/images/{id}/{rendition}", "get", "responses", status, "content")
        #expect(throws: Never.self) { try content.required(format.mediaType) }
    }
}
