import Catalog
import Encodings
import Foundation
import Images
import Testing

/// What openapi.json repeats from the tables of the code.
@Suite struct APIDescriptionTests {
    private func description(at path: String...) throws -> JSONField {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let text = try Data(contentsOf: root.appendingPathComponent("Public/api/openapi.json"))
        return try path.reduce(JSONField(text)) { try $0.required($1) }
    }

    private func words(_ field: JSONField) throws -> [String] {
        try field.list { (word) throws(JSONFieldError) in try word.text() }
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
