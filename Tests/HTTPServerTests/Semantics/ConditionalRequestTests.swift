import HTTPTypes
import Testing
import Time

@testable import HTTPServer

@Suite struct ConditionalRequestTests {
    private static let early = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let late = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func evaluate(
        _ fields: HTTPFields, method: HTTPRequest.Method = .get, tag: String? = "\"a\"", modified: String? = same
    ) -> ConditionalRequest.Outcome {
        ConditionalRequest(method: method) { fields[$0] }.evaluate(
            entityTag: tag.flatMap { EntityTag(parsing: $0) }, lastModified: modified.flatMap { HTTPDate($0) })
    }

    @Test(
        arguments: [
            ([:], .proceed),
            ([.ifMatch: "\"a\""], .proceed), ([.ifMatch: "\"b\""], .preconditionFailed), ([.ifMatch: "*"], .proceed),
            ([.ifMatch: "W/\"a\""], .preconditionFailed), ([.ifMatch: "\"x,y\", \"a\""], .proceed),
            ([.ifUnmodifiedSince: early], .preconditionFailed), ([.ifUnmodifiedSince: same], .proceed),
            ([.ifUnmodifiedSince: "rubbish"], .proceed),
            ([.ifMatch: "\"a\"", .ifUnmodifiedSince: early], .proceed),
            ([.ifNoneMatch: "\"a\""], .notModified), ([.ifNoneMatch: "W/\"a\""], .notModified),
            ([.ifNoneMatch: "\"b\", \"a\""], .notModified), ([.ifNoneMatch: "*"], .notModified),
            ([.ifNoneMatch: "\"b\""], .proceed), ([.ifNoneMatch: "a"], .proceed), ([.ifNoneMatch: "\"a"], .proceed),
            ([.ifModifiedSince: early], .proceed), ([.ifModifiedSince: same], .notModified),
            ([.ifModifiedSince: late], .notModified), ([.ifModifiedSince: "rubbish"], .proceed),
            ([.ifNoneMatch: "\"b\"", .ifModifiedSince: late], .proceed),
            ([.ifMatch: "\"b\"", .ifNoneMatch: "\"a\""], .preconditionFailed),
        ] as [(HTTPFields, ConditionalRequest.Outcome)])
    func `conditions are evaluated in the order of RFC 9110`(fields: HTTPFields, outcome: ConditionalRequest.Outcome) {
        #expect(evaluate(fields) == outcome)
    }

    @Test func `a matching If-None-Match is 412 for a write and 304 for a read`() {
        #expect(evaluate([.ifNoneMatch: "*"], method: .put) == .preconditionFailed)
        #expect(evaluate([.ifModifiedSince: Self.late], method: .post) == .proceed)
        #expect(evaluate([.ifNoneMatch: "\"a\""], method: .head) == .notModified)
    }

    @Test func `without validators, only an asterisk matches`() {
        #expect(evaluate([.ifNoneMatch: "\"a\""], tag: nil, modified: nil) == .proceed)
        #expect(evaluate([.ifModifiedSince: Self.late], tag: nil, modified: nil) == .proceed)
        #expect(evaluate([.ifMatch: "\"a\""], tag: nil, modified: nil) == .preconditionFailed)
        #expect(evaluate([.ifNoneMatch: "*"], tag: nil, modified: nil) == .notModified)
    }

    @Test(
        arguments: [
            (nil, true), ("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), (same, true), (late, false),
            (early, false),
            ("rubbish", false), ("\"a\", \"b\"", false),
        ] as [(String?, Bool)])
    func `a range is served only if If-Range matches the current content`(field: String?, isAllowed: Bool) {
        let condition = ConditionalRequest(method: .get) { $0 == .ifRange ? field : nil }
        #expect(
            condition.allowsRange(entityTag: EntityTag("a"), lastModified: HTTPDate(Self.same)) == isAllowed)
    }

    @Test func `an entity tag contains no quote, space or control character`() {
        #expect(EntityTag("a b") == nil)
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a\r\nb") == nil)
        #expect(EntityTag("a,b")?.description == "\"a,b\"")
        #expect(EntityTag.list("\"a\" \"b\"") == nil)
        #expect(EntityTag.list(", ,\"a\",,W/\"b\" ,")?.count == 2)
    }
}
