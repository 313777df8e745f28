import Foundation
import Images
import Loading
import Testing

@testable import GalleryServer

@Suite struct ServerMessageTests {
    @Test func `assignments are valid JSON, whatever the image is called`() throws {
        var source = TokenSource()
        let token = source.next()
        let name = "a\"\\\u{1}\n</script>é"
        let text = ServerMessage.tokens(
            [
                .init(
                    slot: 3, image: ImageID(rawValue: 7), name: name, version: ContentVersion(rawValue: 9), token: token
                ),
                .init(slot: 4, image: ImageID(rawValue: 8), name: "b", version: nil, token: nil),
            ], revision: 17, view: "q=%22a%22"
        ).text(.none)
        let message = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(message["type"] as? String == "tokens" && message["revision"] as? Int == 17)
        #expect(message["view"] as? String == "q=%22a%22")
        let plain = ServerMessage.catalog(revision: 1, total: 2, view: "").text(.none)
        #expect(plain == #"{"type":"catalog","revision":1,"total":2}"#)
        let tokens = try #require(message["tokens"] as? [[String: Any]])
        #expect(tokens.count == 2)
        #expect(tokens[0]["slot"] as? Int == 3 && tokens[0]["name"] as? String == name)
        #expect(tokens[0]["image"] as? String == "\(ImageID(rawValue: 7))")
        #expect(tokens[0]["version"] as? String == "\(ContentVersion(rawValue: 9))")
        #expect(tokens[0]["token"] as? String == token.description)
        #expect(tokens[1]["version"] == nil && tokens[1]["token"] == nil)
    }

    @Test func `a list of waiting tokens is valid JSON, even if it is empty`() throws {
        var source = TokenSource()
        let tokens = [source.next(), source.next()]
        #expect(
            ServerMessage.waiting(tokens).text(.none)
                == #"{"type":"waiting","tokens":["\#(tokens[0])","\#(tokens[1])"]}"#)
        #expect(ServerMessage.waiting([]).text(.none) == #"{"type":"waiting","tokens":[]}"#)
    }

    @Test func `the head of a binary message has 28 bytes in the documented layout`() throws {
        let token = try #require(Token("AAECAwQFBgcICQoLDA0ODw"))
        let head = RenditionHead(
            token: token, rendition: .tile, isFailure: true, format: RenditionHead.Format(mediaType: "image/webp"),
            endsToken: true, isStale: true, version: ContentVersion(rawValue: 0x0102_0304_0506_0708))
        #expect(head.bytes == Array(0...15) + [2, 1, 2, 3] + [1, 2, 3, 4, 5, 6, 7, 8])
        let incomplete = RenditionHead(token: token, rendition: .tile, isIncomplete: true)
        #expect(incomplete.bytes == Array(0...15) + [2, 0, 0, 4] + [UInt8](repeating: 0, count: 8))
        let plain = RenditionHead(token: token, rendition: .preview)
        #expect(plain.bytes == Array(0...15) + [1, 0, 0, 0] + [UInt8](repeating: 0, count: 8))
    }
}
