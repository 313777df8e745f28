import TestSupport
import Testing

@testable import HTTPServer

/// A random stream of frames, and the events that parsing it must yield.
private struct RandomStream {
    var random: SeededRandom
    private(set) var bytes: [UInt8] = []
    private(set) var events: [WebSocketParser.Event] = []

    init(seed: UInt64, messages: Int) {
        random = SeededRandom(seed: seed)
        for _ in 0..<messages { addMessage() }
    }

    private mutating func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
        let key = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes += ClientFrame.bytes(opcode, payload, isFinal: isFinal, key: key)
    }

    private mutating func length() -> Int {
        [0, 1, 7, 8, 9, 125, 126, 127, 300, 2_000][random.number(below: 10)]
    }

    private mutating func addControl() {
        let payload = (0..<min(length(), 125)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let isPing = random.number(below: 2) == 0
        frame(isPing ? 9 : 10, payload)
        events.append(isPing ? .ping(payload) : .pong(payload))
    }

    private mutating func addMessage() {
        let isText = random.number(below: 2) == 0
        let payload: [UInt8]
        if isText {
            let letters = ["a", "é", "€", "😀", "\u{0}", "\u{10FFFF}", "zzzzzzzzzzzzzzzz"]
            payload = Array((0..<(length() / 4)).map { _ in letters[random.number(below: 7)] }.joined().utf8)
        } else {
            payload = (0..<length()).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        var rest = payload[...]
        var opcode: UInt8 = isText ? 1 : 2
        while random.number(below: 3) > 0 {
            let piece = rest.prefix(random.number(below: rest.count + 1))
            rest = rest.dropFirst(piece.count)
            frame(opcode, Array(piece), isFinal: false)
            opcode = 0
            if random.number(below: 3) == 0 { addControl() }
        }
        frame(opcode, Array(rest))
        events.append(.message(isText ? .text(String(decoding: payload, as: UTF8.self)) : .binary(payload)))
    }

    /// The bytes in pieces, most of them small.
    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        let largest = [1, 3, 20, 5_000][random.number(below: 4)]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + random.number(below: largest))
            rest = rest.dropFirst(piece.count)
            pieces.append(Array(piece))
        }
        return pieces
    }
}

@Suite(.timeLimit(.minutes(1)))
struct WebSocketFuzzTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a stream yields the same events however it is split`(seed: UInt64) {
        for round in 0..<12 {
            var stream = RandomStream(seed: seed << 32 | UInt64(round), messages: 8)
            let parsed = ParsedFrames(stream.pieces(of: stream.bytes))
            guard parsed.events == stream.events, parsed.error == nil else {
                Issue.record("seed \(seed), round \(round): \(String(describing: parsed.error))")
                return
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a corrupted stream parses the same however it is split, within the memory limit`(seed: UInt64) {
        var errors = 0
        for round in 0..<30 {
            var stream = RandomStream(seed: 1 << 40 | seed << 32 | UInt64(round), messages: 4)
            var bytes = stream.bytes
            for _ in 0..<(1 + stream.random.number(below: 3)) {
                let place = stream.random.number(below: bytes.count)
                switch stream.random.number(below: 3) {
                case 0: bytes[place] ^= 1 << UInt8(stream.random.number(below: 8))
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: stream.random.next()), at: place)
                }
            }
            let whole = ParsedFrames(bytes, maximumMessage: 6_000)
            let pieces = stream.pieces(of: bytes)
            let cut = ParsedFrames(pieces, maximumMessage: 6_000)
            let bound = 6_000 + 125 + 14 + (pieces.map(\.count).max() ?? 0)
            guard whole == cut, cut.maximumHeld <= bound else {
                Issue.record("seed \(seed), round \(round): \(cut.maximumHeld)")
                return
            }
            if whole.error != nil { errors += 1 }
        }
        #expect(errors > 6)
    }

    @Test func `random bytes never crash the parser, and parse the same byte by byte`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            // The first bytes are often those of a valid header, so that the code behind it is reached.
            let opcode = ([0x81, 0x82, 0x01, 0x88, 0x89] as [UInt8])[random.number(below: 5)]
            let head = [opcode, 0x80 | UInt8(random.number(below: 128))]
            let rest = (0..<random.number(below: 200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let bytes = (random.number(below: 4) == 0 ? [] : head) + rest
            let whole = ParsedFrames(bytes)
            #expect(whole == ParsedFrames(bytes.map { [$0] }))
        }
    }

    @Test func `a message with twenty thousand empty fragments is assembled`() throws {
        var parser = WebSocketParser(maximumMessage: 1_000)
        let first = ClientFrame.bytes(2, [], isFinal: false)
        first.withUnsafeBytes { parser.append($0) }
        let empty = [[UInt8]](repeating: ClientFrame.bytes(0, [], isFinal: false), count: 1_000).flatMap { $0 }
        for _ in 0..<20 {
            empty.withUnsafeBytes { parser.append($0) }
            let event = try parser.next()
            #expect(event == nil)
        }
        ClientFrame.bytes(0, [1]).withUnsafeBytes { parser.append($0) }
        let event = try parser.next()
        #expect(event == .message(.binary([1])))
    }
}
