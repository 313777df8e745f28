import Foundation
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite struct ProblemTests {
    private func members(_ problem: Problem) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(problem.json)) as? [String: Any])
    }

    @Test func `Retry-After is repeated in the problem document`() throws {
        var headers = HTTPFields()
        headers[.retryAfter] = "17"
        let members = try members(Problem(.serviceUnavailable, members: ["field": "a"], headers: headers))
        #expect(members["retryAfter"] as? Int == 17)
        #expect(members["field"] as? String == "a" && members["status"] as? Int == 503)
    }

    @Test func `a problem without Retry-After has no such member`() throws {
        #expect(try members(Problem(.serviceUnavailable))["retryAfter"] == nil)
    }
}
