import Images
import Loading
import Origins
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Cluster

@Suite struct TextTests {
    private let remote = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .step640, format: .avif)
    private let local = SharedName(
        image: ImageID(rawValue: .max), version: ContentVersion(rawValue: 3), rendition: .preview, format: .webp)

    @Test func `a name round-trips, and invalid names are rejected`() {
        for name in [remote, local] { #expect(SharedName(text: name.text) == name) }
        let none = ["", "a.b.c.d", "\(remote.text).x", remote.text.uppercased(), "\(remote.image).-.full.jpeg"]
        for text in none {
            #expect(SharedName(text: text) == nil, "\(text)")
        }
    }

    @Test func `a remote image has one lease for all renditions, and a file one lease for each`() {
        let other = SharedName(image: remote.image, version: nil, rendition: .tile, format: .webp)
        #expect(other.subject == remote.subject)
        let smaller = SharedName(image: local.image, version: local.version, rendition: .tile, format: .webp)
        #expect(smaller.subject != local.subject)
    }

    @Test func `a failure round-trips without its log detail`() {
        let failure = LoadFailure(
            status: 502, publicMessage: "The remote server is away.", logDetail: "http://secret/",
            retryAfter: .seconds(9), isPermanent: true)
        let read = LoadFailure(text: failure.text)
        #expect(read?.status == 502)
        #expect(read?.publicMessage == failure.publicMessage)
        #expect(read?.retryAfter == .seconds(9))
        #expect(read?.isPermanent == true)
        #expect(!failure.text.contains("secret"))
        for text in ["", "200 0 - Fine.", "502 2 - x", "502 0", "x 0 - y"] { #expect(LoadFailure(text: text) == nil) }
    }

    @Test func `messages are parsed, and invalid ones are rejected`() {
        func read(_ text: String) -> LeaseMessage? { LeaseMessage(Array(text.utf8)) }
        #expect(read("made \(local.text)") == .made(local))
        #expect(read("unwanted \(remote.text)") == .requestWithdrawn(remote))
        #expect(read("unshared \(remote.text)") == .unshared(remote))
        #expect(read("free \(remote.subject)") == .free(subject: remote.subject))
        #expect(read("look abc") == .rescan(node: "abc"))
        #expect(read("objects abc b a%20b c") == .objects(bucket: "b", keys: ["a%20b", "c"], node: "abc"))
        let refusal = OriginRefusal(origin: "http://[::1]:80", age: .milliseconds(12))
        #expect(read("refused abc \(refusal.text)") == .refused(refusal, node: "abc"))
        #expect(read("wanted abc 2 \(remote.text)") == .requested(remote, by: "abc", level: .visible))
        let none = [
            "", "made", "made x", "made \(local.text) y", "wanted abc 9 \(remote.text)", "wanted abc 2", "free",
            "objects abc", "objects abc b", "refused abc", "refused abc 1", "refused abc -1 http://a:80",
            "refused abc 1 http://a:80 x",
            "refused abc 99999999999 http://a:80", "refused abc 1 \(String(repeating: "a", count: 400))",
        ]
        for text in none {
            #expect(read(text) == nil, "\(text)")
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            var bytes = Array("wanted abc 2 \(remote.text)".utf8)
            for _ in 0...random.number(below: 3) {
                bytes[random.number(below: bytes.count)] = UInt8(random.number(below: 256))
            }
            _ = LeaseMessage(bytes)
        }
    }
}
