import Testing

@testable import Catalog

@Suite struct BucketPageTests {
    static func page(_ rows: String, truncated: String = "false", more: String = "") -> String {
        "<ListBucketResult>\(more)<IsTruncated>\(truncated)</IsTruncated>\(rows)</ListBucketResult>"
    }

    static func row(_ key: String, size: Int = 7, tag: String = "&quot;ab&quot;") -> String {
        "<Contents><Key>\(key)</Key><LastModified>2024-05-01T10:00:01.000Z</LastModified><ETag>\(tag)</ETag>"
            + "<Size>\(size)</Size></Contents>"
    }

    private func read(_ text: String) throws -> BucketPage {
        var reader = BucketPageReader()
        try reader.read(Array(text.utf8))
        return try reader.finish()
    }

    @Test func `a page has its objects in order, and the token of the next page`() throws {
        let more = "<NextContinuationToken>1=a/+==</NextContinuationToken>"
        let page = try read(Self.page(Self.row("b&amp;c") + Self.row("a", size: 0), truncated: "true", more: more))
        #expect(page.next == "1=a/+==")
        #expect(page.objects.map { String(decoding: $0.key, as: UTF8.self) } == ["b&c", "a"])
        #expect(
            page.objects[0]
                == BucketObject(key: Array("b&c".utf8), size: 7, modified: 1_714_557_601, entityTag: "\"ab\""))
    }

    @Test func `a token counts only if more pages follow`() throws {
        let more = "<NextContinuationToken>x</NextContinuationToken>"
        #expect(try read(Self.page("", more: more)).next == nil)
        #expect(throws: BucketPageReader.Fault.self) { try read(Self.page("", truncated: "true")) }
    }

    @Test func `keys are decoded if the page declares an encoding, wherever it does`() throws {
        let encoded = "<EncodingType>url</EncodingType>"
        for page in [Self.page(Self.row("a+%2B%C3%A9"), more: encoded), Self.page(Self.row("a+%2B%C3%A9") + encoded)] {
            #expect(try read(page).objects.map(\.key) == [Array("a +é".utf8)])
        }
        #expect(try read(Self.page(Self.row("a+%2B"))).objects.map(\.key) == [Array("a+%2B".utf8)])
        #expect(throws: BucketPageReader.Fault.self) { try read(Self.page(Self.row("a%2"), more: encoded)) }
    }

    @Test(arguments: [
        "<Error><Code>NoSuchBucket</Code></Error>", "<ListBucketResult></ListBucketResult>",
        page("<Contents><Key>a</Key></Contents>"), page(row("a", size: -1)), page("", truncated: "perhaps"),
        page(row("a").replacing("2024-05-01", with: "May first ")),
    ])
    func `an incomplete or invalid page is refused`(_ text: String) {
        #expect(throws: BucketPageReader.Fault.self) { try read(text) }
    }

    @Test func `the token of the next page is known before this page is complete`() throws {
        let text = Self.page(
            Self.row("a"), truncated: "true", more: "<NextContinuationToken>x</NextContinuationToken>")
        var reader = BucketPageReader()
        let head = try #require(text.firstRange(of: "<Contents>"))
        try reader.read(Array(text[..<head.lowerBound].utf8))
        #expect(reader.next == "x")
    }

    @Test func `different content has a different version, and equal content the same`() throws {
        func stamp(_ tag: String, size: Int = 7) throws -> ObjectStamp {
            ObjectStamp(try #require(try read(Self.page(Self.row("a", size: size, tag: tag))).objects.first))
        }
        #expect(try stamp("&quot;ab&quot;").version == stamp("&quot;ab&quot;").version)
        #expect(try stamp("&quot;ab&quot;").version != stamp("&quot;ac&quot;").version)
        #expect(try stamp("", size: 7).version != stamp("", size: 8).version)
    }
}
