import HTTPServer
import HTTPTypes
import Loading
import Testing

@testable import GalleryServer

@Suite struct TokensTests {
    @Test func `a token is valid for one request`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let answer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":1}"#)
        #expect(answer.status == 201)
        let granted = try #require(try await answer.json(as: TokensAnswer.self).tokens.first)
        let first = try await gallery.get(granted.href)
        #expect(first.status == 200)
        #expect(first.header("Cache-Control") == "no-store")
        #expect(await first.body()?.isEmpty == false)
        #expect(try await gallery.get(granted.href).status == 409)
        #expect(gallery.tokens.statistics.delivered == 1)
        await gallery.close()
    }

    @Test func `a HEAD request does not use up the token`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let issued: TokensAnswer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":1}"#).json()
        #expect(try await gallery.ask(.head, issued.tokens[0].href).status == 200)
        #expect(try await gallery.get(issued.tokens[0].href).status == 200)
        await gallery.close()
    }

    @Test func `a request with a cancelled token is 204 and says why`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let issued: TokensAnswer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":1}"#).json()
        let cancel = #"{"session":"\#(issued.session)","tokens":["\#(issued.tokens[0].token)"]}"#
        let answer = try await gallery.post("/api/v1/tokens/cancel", cancel)
        #expect(String(decoding: await answer.body() ?? [], as: UTF8.self) == #"{"cancelled":1}"#)
        let dropped = try await gallery.get(issued.tokens[0].href)
        #expect(dropped.status == 204)
        #expect(dropped.header("Tessera-Dropped") == "cancelled")
        let again = try await gallery.post("/api/v1/tokens/cancel", cancel)
        #expect(String(decoding: await again.body() ?? [], as: UTF8.self) == #"{"cancelled":0}"#)
        await gallery.close()
    }

    @Test func `a cancel before the response is sent turns it into 204`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let issued: TokensAnswer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":1}"#).json()
        let answer = try await gallery.get(issued.tokens[0].href)
        #expect(answer.response.instead?() == nil)
        _ = try await gallery.post("/api/v1/tokens/cancel", #"{"session":"\#(issued.session)"}"#)
        let instead = answer.response.instead?()
        #expect(instead?.status == .noContent)
        #expect(instead?.headers[.tesseraDropped] == "cancelled")
        await gallery.close()
    }

    @Test func `a cancel in the middle of the body cuts it off`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let issued: TokensAnswer = try await gallery.post(
            "/api/v1/tokens", #"{"first":0,"count":1,"rendition":"original"}"#
        ).json()
        let answer = try await gallery.get(issued.tokens[0].href)
        guard case .stream(let stream, let length) = answer.response.body else {
            Issue.record("The body is not a stream that can be stopped.")
            return
        }
        guard case .bytes(let frame) = stream.pull(upTo: 100, wake: {}) else {
            Issue.record("The first frame is missing.")
            return
        }
        #expect(Int64(frame.count) < length ?? 0)
        _ = try await gallery.post("/api/v1/tokens/cancel", #"{"session":"\#(issued.session)"}"#)
        guard case .aborted = stream.pull(upTo: 100, wake: {}) else {
            Issue.record("Bytes were sent after the acknowledged cancel.")
            return
        }
        stream.ended(.aborted)
        #expect(gallery.tokens.statistics.cancelled == 1)
        #expect(gallery.tokens.statistics.failed == 0)
        await gallery.close()
    }

    @Test func `a slot's next token cancels the previous one`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1), "b.jpg": try picture(red: 2)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let before: TokensAnswer = try await gallery.post(
            "/api/v1/tokens", #"{"slots":[{"slot":5,"image":"\#(page.images[0].id)"}]}"#
        ).json()
        let after: TokensAnswer = try await gallery.post(
            "/api/v1/tokens",
            #"{"session":"\#(before.session)","slots":[{"slot":5,"image":"\#(page.images[1].id)"}]}"#
        ).json()
        #expect(after.session == before.session)
        #expect(try await gallery.get(before.tokens[0].href).status == 204)
        #expect(try await gallery.get(after.tokens[0].href).status == 200)
        await gallery.close()
    }

    @Test func `a token is invalid for another image or rendition`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1), "b.jpg": try picture(red: 2)])
        let issued: TokensAnswer = try await gallery.post("/api/v1/tokens", #"{"first":0,"count":2}"#).json()
        let (one, other) = (issued.tokens[0], issued.tokens[1])
        #expect(try await gallery.get("/images/\(other.image)/tile?token=\(one.token)").status == 404)
        #expect(try await gallery.get("/images/\(one.image)/screen?token=\(one.token)").status == 404)
        #expect(try await gallery.get(one.href).status == 200)
        await gallery.close()
    }

    @Test func `a missing image is refused, and the others get their tokens`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let answer: TokensAnswer = try await gallery.post(
            "/api/v1/tokens",
            #"{"slots":[{"slot":0,"image":"0000000000000"},{"slot":1,"image":"\#(page.images[0].id)"}]}"#
        ).json()
        #expect(answer.refused?.map(\.slot) == [0])
        #expect(answer.tokens.map(\.slot) == [1])
        await gallery.close()
    }

    @Test(arguments: [
        (#"{}"#, "slots"), (#"{"slots":[]}"#, "slots"), (#"{"first":0}"#, "slots"),
        (#"{"first":0,"count":501}"#, "count"), (#"{"first":-1,"count":1}"#, "first"),
        (#"{"first":0,"count":1,"rendition":"huge"}"#, "rendition"),
        (#"{"first":0,"count":1,"purpose":"fun"}"#, "purpose"),
        (#"{"first":0,"count":1,"session":"x"}"#, "session"), (#"{"first":"0","count":1}"#, "first"),
        (#"{"slots":[{"slot":1}]}"#, "slots[0].image"), (#"{"slots":[{"slot":1,"image":"x"}]}"#, "slots[0].image"),
        (#"{"slots":[{"slot":-1,"image":"0000000000000"}]}"#, "slots[0].slot"),
    ])
    func `an invalid token request is rejected with the name of its field`(order: String, field: String) async throws {
        let gallery = try await TestGallery(files: [:])
        let answer = try await gallery.post("/api/v1/tokens", order)
        #expect(answer.status == 400)
        let problem: ProblemAnswer = try await answer.json()
        #expect(problem.field == field)
        await gallery.close()
    }

    @Test func `a token request must declare JSON, and a cancel sent by beacon need not`() async throws {
        let gallery = try await TestGallery(files: [:])
        let order = Array(#"{"first":0,"count":1}"#.utf8)
        let plain = try await gallery.ask(
            .post, "/api/v1/tokens", headers: [.contentType: "text/plain"], body: order)
        #expect(plain.status == 415)
        let beacon = try await gallery.ask(
            .post, "/api/v1/tokens/cancel", headers: [.contentType: "text/plain;charset=UTF-8"],
            body: Array(#"{"session":"AAAAAAAAAAAAAAAAAAAAAA"}"#.utf8))
        #expect(beacon.status == 200)
        await gallery.close()
    }

    @Test(arguments: [
        ("application/json", true), (" application/json ;charset=utf-8", true), ("Application/JSON\t; a=b", true),
        ("application/ json", false), ("application /json", false), ("appli cation/json", false),
        ("application/json, text/plain", false), ("application/json text/plain", false), ("", false), (";", false),
    ])
    func `only the JSON media type is accepted, without white space inside`(type: String, isTaken: Bool) async throws {
        let gallery = try await TestGallery(files: [:])
        let order = Array(#"{"first":0,"count":1}"#.utf8)
        let answer = try await gallery.ask(.post, "/api/v1/tokens", headers: [.contentType: type], body: order)
        #expect(answer.status == (isTaken ? 201 : 415))
        await gallery.close()
    }

    @Test(arguments: ["gzip", "x-gzip", "br", "gzip, identity"])
    func `a request body with a content coding is refused with the accepted one`(coding: String) async throws {
        let gallery = try await TestGallery(files: [:])
        for (target, order) in [
            ("/api/v1/tokens", #"{"first":0,"count":1}"#),
            ("/api/v1/tokens/cancel", #"{"session":"AAAAAAAAAAAAAAAAAAAAAA"}"#),
        ] {
            var headers: HTTPFields = [.contentType: "application/json", .contentEncoding: coding]
            let answer = try await gallery.ask(.post, target, headers: headers, body: Array(order.utf8))
            #expect(answer.status == 415)
            #expect(answer.header("Accept-Encoding") == "identity")
            headers[.contentEncoding] = "identity"
            #expect(try await gallery.ask(.post, target, headers: headers, body: Array(order.utf8)).status / 100 == 2)
        }
        await gallery.close()
    }
}
