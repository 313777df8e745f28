import Encodings
import Images
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct ClientMessageTests {
    private let image = ImageID(rawValue: 5)
    private let version = ContentVersion(rawValue: 9)

    @Test func `a viewport with all members is decoded`() throws {
        let message = try ClientMessage(
            #"{"type":"viewport","revision":17,"first":120,"count":48,"direction":-1,"velocity":310.5,"landing":560,"#
                + #""pixels":360,"lag":38,"rate":2500000,"received":182034,"colour":"red","has":[{"image":"\#(image)","version":"\#(version)","#
                + #""renditions":["preview","tile","poster"],"size":1}]}"#)
        let viewport = Viewport(
            revision: 17, first: 120, count: 48, direction: -1, velocity: 310.5, landing: 560, pixels: 360, lag: 0.038,
            rate: 2_500_000,
            received: 182_034, has: [HeldImage(image: image, version: version, renditions: [.preview, .tile])])
        #expect(message == .viewport(viewport))
    }

    @Test func `a viewport of a client that knows larger renditions is decoded`() throws {
        let message = try ClientMessage(
            #"{"type":"viewport","first":0,"count":1,"pixels":387,"side":"shorter","saveData":true,"#
                + #""has":[{"image":"\#(image)","version":"\#(version)","renditions":["160","640","2560","320"]}]}"#)
        var viewport = Viewport(first: 0, count: 1)
        (viewport.pixels, viewport.side, viewport.savesData) = (387, .shorter, true)
        let held = StreamRenditions([.step160, .step640, .step2560, .tile].map { StreamRenditions($0) })
        viewport.has = [HeldImage(image: image, version: version, renditions: held)]
        #expect(message == .viewport(viewport))
    }

    @Test func `a viewport with only the required members is decoded`() throws {
        #expect(
            try ClientMessage(#"{"type":"viewport","first":0,"count":1}"#) == .viewport(Viewport(first: 0, count: 1)))
    }

    @Test func `all other messages are decoded`() throws {
        let held = HeldImage(image: image, version: version, renditions: .tile)
        let list = #""images":[{"image":"\#(image)","version":"\#(version)","renditions":["tile"]}]"#
        #expect(try ClientMessage(#"{"type":"received","bytes":12}"#) == .received(12))
        #expect(try ClientMessage(#"{"type":"has",\#(list)}"#) == .has([held]))
        #expect(try ClientMessage(#"{"type":"forgot",\#(list)}"#) == .forgot([held]))
        #expect(
            try ClientMessage(#"{"type":"retry","slots":[12,13]}"#) == .retry([12, 13], bypassesNegativeCache: true))
        #expect(
            try ClientMessage(#"{"type":"retry","slots":[12],"insists":false}"#)
                == .retry([12], bypassesNegativeCache: false))
        #expect(try ClientMessage(#"{"type":"ping"}"#) == .ping)
    }

    @Test(arguments: [
        ("[]", "message"), ("", "message"), ("{}", "type"), (#"{"type":1}"#, "type"), (#"{"type":"shout"}"#, "type"),
        (#"{"type":"viewport","count":1}"#, "first"), (#"{"type":"viewport","first":0}"#, "count"),
        (#"{"type":"viewport","first":-1,"count":1}"#, "first"),
        (#"{"type":"viewport","first":0.5,"count":1}"#, "first"),
        (#"{"type":"viewport","first":9007199254740992,"count":1}"#, "first"),
        (#"{"type":"viewport","first":0,"count":0}"#, "count"),
        (#"{"type":"viewport","first":0,"count":501}"#, "count"),
        (#"{"type":"viewport","first":0,"count":"1"}"#, "count"),
        (#"{"type":"viewport","first":0,"count":1,"direction":2}"#, "direction"),
        (#"{"type":"viewport","first":0,"count":1,"velocity":-1}"#, "velocity"),
        (#"{"type":"viewport","first":0,"count":1,"velocity":1e300}"#, "velocity"),
        (#"{"type":"viewport","first":0,"count":1,"velocity":null}"#, "velocity"),
        (#"{"type":"viewport","first":0,"count":1,"landing":-3}"#, "landing"),
        (#"{"type":"viewport","first":0,"count":1,"pixels":0}"#, "pixels"),
        (#"{"type":"viewport","first":0,"count":1,"side":"left"}"#, "side"),
        (#"{"type":"viewport","first":0,"count":1,"side":"box","pixels":9}"#, "height"),
        (#"{"type":"viewport","first":0,"count":1,"side":"box","height":9}"#, "pixels"),
        (#"{"type":"viewport","first":0,"count":1,"ahead":241}"#, "ahead"),
        (#"{"type":"viewport","first":0,"count":1,"behind":-1}"#, "behind"),
        (#"{"type":"viewport","first":0,"count":1,"parts":1}"#, "parts"),
        (#"{"type":"viewport","first":0,"count":1,"saveData":"on"}"#, "saveData"),
        (#"{"type":"viewport","first":0,"count":1,"lag":-1}"#, "lag"),
        (#"{"type":"viewport","first":0,"count":1,"rate":-1}"#, "rate"),
        (#"{"type":"viewport","first":0,"count":1,"rate":null}"#, "rate"),
        (#"{"type":"viewport","first":0,"count":1,"received":-1}"#, "received"),
        (#"{"type":"viewport","first":0,"count":1,"revision":"x"}"#, "revision"),
        (#"{"type":"viewport","first":0,"count":1,"has":{}}"#, "has"),
        (#"{"type":"viewport","first":0,"count":1,"has":[7]}"#, "has[0]"),
        (#"{"type":"viewport","first":0,"count":1,"has":[{"image":"x"}]}"#, "has[0].image"),
        (#"{"type":"has"}"#, "images"), (#"{"type":"has","images":[{"image":"0000000000005"}]}"#, "images[0].version"),
        (#"{"type":"has","images":[{"image":"0000000000005","version":"0000000000005"}]}"#, "images[0].renditions"),
        (
            #"{"type":"forgot","images":[{"image":"0000000000005","version":"0000000000005","renditions":[1]}]}"#,
            "images[0].renditions[0]"
        ),
        (#"{"type":"received"}"#, "bytes"), (#"{"type":"received","bytes":1.5}"#, "bytes"),
        (#"{"type":"received","bytes":99999999999999999999}"#, "bytes"),
        (#"{"type":"received","bytes":1e400}"#, "bytes"),
        (#"{"type":"viewport","first":1e400,"count":1}"#, "first"),
        (#"{"type":"viewport","first":0,"count":-99999999999999999999}"#, "count"),
        (#"{"type":"viewport","first":0,"count":1,"velocity":1e400}"#, "velocity"),
        (#"{"type":"retry","slots":[0,1e400]}"#, "slots[1]"),
        (#"{"type":"retry","slots":[1],"insists":1}"#, "insists"),
        (#"{"type":"retry"}"#, "slots"), (#"{"type":"retry","slots":[-1]}"#, "slots[0]"),
    ])
    func `an error names the invalid member`(text: String, member: String) {
        let error = #expect(throws: JSONFieldError.self) { try ClientMessage(text) }
        #expect(error?.field == member)
    }

    @Test func `a list of more than 500 entries is rejected`() {
        let slots = (0...500).map(String.init).joined(separator: ",")
        let error = #expect(throws: JSONFieldError.self) {
            try ClientMessage(#"{"type":"retry","slots":[\#(slots)]}"#)
        }
        #expect(error?.field == "slots")
    }

    /// A client's message with bytes randomly changed, removed and repeated: it is either rejected, or accepted with
    /// all values within their limits.
    @Test func `a randomly changed message is rejected or within its limits`() {
        let good = Array(
            (#"{"type":"viewport","revision":17,"first":120,"count":48,"direction":1,"velocity":310.5,"landing":560,"#
                + #""has":[{"image":"000000000000a","version":"000000000000b","renditions":["preview","tile"]}]}"#).utf8
        )
        var random = SeededRandom(seed: 11)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 32...126, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8.random(in: 48...57, using: &random), at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            guard case .viewport(let viewport)? = try? ClientMessage(String(decoding: bytes, as: UTF8.self)) else {
                continue
            }
            read += 1
            #expect(viewport.first >= 0 && 1...500 ~= viewport.count && -1...1 ~= viewport.direction)
            #expect(0...Viewport.maximumVelocity ~= viewport.velocity && viewport.has.count <= 500)
        }
        #expect(read > 1_000)
    }
}
