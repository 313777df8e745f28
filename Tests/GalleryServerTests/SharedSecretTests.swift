import EventLoops
import Foundation
import HTTPServer
import HTTPTypes
import Testing

@testable import GalleryServer

@Suite struct SharedSecretTests {
    private func admits(_ field: String?) throws -> Bool {
        let secret = try #require(SharedSecret("0123456789:abcdef"))
        let headers: HTTPFields = field.map { [.authorization: $0] } ?? [:]
        let request = try Request(.post, "/api/v1/events", headers: headers, body: [], loop: EventLoop(label: "test"))
        do throws(Problem) {
            try secret.admit(request)
            return true
        } catch {
            #expect(error.status == .unauthorized && error.headers[.wwwAuthenticate] != nil)
            return false
        }
    }

    @Test(arguments: [
        "Bearer 0123456789:abcdef", "bearer   0123456789:abcdef",
        "Basic " + Data("anybody:0123456789:abcdef".utf8).base64EncodedString(),
        "BASIC " + Data(":0123456789:abcdef".utf8).base64EncodedString(),
    ])
    func `the secret is accepted as a bearer token or a password`(field: String) throws {
        #expect(try admits(field))
    }

    @Test(arguments: [
        nil, "", "0123456789:abcdef", "Bearer", "Bearer 0123456789:abcdeg", "Bearer 0123456789:abcde",
        "Bearer 0123456789:abcdef0", "Basic 0123456789:abcdef", "Basic",
        "Basic " + Data("0123456789:abcdef".utf8).base64EncodedString(), "Digest 0123456789:abcdef",
    ])
    func `any other authorization is rejected`(field: String?) throws {
        #expect(try !admits(field))
    }

    @Test(arguments: ["", "short", "with spaces in the middle", "with-\u{e9}-in-the-middle", "with-\n-in-the-middle"])
    func `a secret of unsuitable length or characters is invalid`(text: String) {
        #expect(SharedSecret(text) == nil && SharedSecret(String(repeating: "x", count: 257)) == nil)
    }
}
