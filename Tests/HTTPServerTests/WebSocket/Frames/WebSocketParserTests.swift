import Testing

@testable import HTTPServer

@Suite struct WebSocketParserTests {
    private func refusal(_ bytes: [UInt8], maximumMessage: Int = 65_536) -> UInt16? {
        let parsed = ParsedFrames(bytes, maximumMessage: maximumMessage)
        return parsed.events.isEmpty ? parsed.error?.code.rawValue : nil
    }

    // MARK: §5.7 Examples

    @Test func `the masked text message of RFC 6455 §5·7 is parsed`() {
        let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(ParsedFrames(bytes).events == [.message(.text("Hello"))])
    }

    // MARK: §5.2 Frame header

    @Test(arguments: [1, 2, 4, 7] as [UInt8])
    func `a reserved bit is refused at the first byte, as no extension is negotiated`(reserved: UInt8) {
        #expect(refusal([ClientFrame.bytes(1, [1], reserved: reserved)[0]]) == 1002)
    }

    @Test(arguments: [3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
    func `an unknown opcode is refused at the first byte`(opcode: UInt8) {
        #expect(refusal([0x80 | opcode]) == 1002)
    }

    @Test(arguments: [0, 1, 2, 8, 9, 10] as [UInt8])
    func `an unmasked frame is refused at its second byte`(opcode: UInt8) {
        let first = opcode == 0 ? ClientFrame.bytes(1, [], isFinal: false) : []
        #expect(refusal(first + [0x80 | opcode, 3]) == 1002)
    }

    @Test func `a length not in its shortest form is refused before the mask arrives`() {
        for (length, width) in [(0, 2), (125, 2), (0, 8), (125, 8), (126, 8), (65_535, 8)] {
            let frame = ClientFrame.bytes(2, [UInt8](repeating: 0, count: length), lengthBytes: width)
            #expect(refusal(Array(frame[..<(2 + width)])) == 1002, "\(length) in \(width)")
            #expect(ParsedFrames(Array(frame[..<(1 + width)])).error == nil)
        }
    }

    @Test func `a length with its most significant bit set is refused`() {
        #expect(refusal([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0]) == 1002)
        #expect(refusal([0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8)) == 1002)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `payloads of all lengths are parsed`(length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let parsed = ParsedFrames(ClientFrame.bytes(2, payload), maximumMessage: 70_000)
        #expect(parsed.events == [.message(.binary(payload))])
    }

    // MARK: §5.4 Fragments

    @Test func `fragments make one message, and control frames may come between them`() {
        let bytes =
            ClientFrame.text("Hel", isFinal: false) + ClientFrame.bytes(9, [1])
            + ClientFrame.bytes(0, [], isFinal: false)
            + ClientFrame.bytes(10, [2]) + ClientFrame.bytes(0, Array("lo".utf8)) + ClientFrame.bytes(2, [3])
        #expect(
            ParsedFrames(bytes).events == [.ping([1]), .pong([2]), .message(.text("Hello")), .message(.binary([3]))])
    }

    @Test func `a continuation frame without a message is refused`() {
        #expect(refusal([0x80]) == 1002)
        #expect(refusal([0x00]) == 1002)
        let parsed = ParsedFrames(ClientFrame.text("a") + ClientFrame.bytes(0, [1]))
        #expect(parsed.events.count == 1)
        #expect(parsed.error?.code == .protocolError)
    }

    @Test(arguments: [1, 2] as [UInt8], [1, 2] as [UInt8])
    func `a new message within a fragmented one is refused`(outer: UInt8, inner: UInt8) {
        #expect(refusal(ClientFrame.bytes(outer, [65], isFinal: false) + [0x80 | inner]) == 1002)
    }

    // MARK: §5.5 Control frames

    @Test(arguments: [8, 9, 10] as [UInt8])
    func `a fragmented or long control frame is refused`(opcode: UInt8) {
        #expect(refusal([opcode]) == 1002)
        #expect(refusal([0x80 | opcode, 0x80 | 126]) == 1002)
        #expect(refusal([0x80 | opcode, 0x80 | 127]) == 1002)
        if opcode != 8 {
            #expect(ParsedFrames(ClientFrame.bytes(opcode, [UInt8](repeating: 7, count: 125))).events.count == 1)
        }
    }

    // MARK: §5.5.1 and §7.4 Close

    @Test func `a Close frame has a code and a reason, a code, or nothing`() {
        #expect(ParsedFrames(ClientFrame.bytes(8)).events == [.close(.noStatus, reason: "")])
        #expect(ParsedFrames(ClientFrame.close(1000)).events == [.close(.normal, reason: "")])
        #expect(ParsedFrames(ClientFrame.close(1001, "Ende, ö")).events == [.close(.goingAway, reason: "Ende, ö")])
        #expect(refusal(ClientFrame.bytes(8, [3])) == 1002)
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16])
    func `a close code that must not be sent is refused`(code: UInt16) {
        #expect(refusal(ClientFrame.close(code)) == 1002)
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] as [UInt16])
    func `a close code that may be sent is accepted`(code: UInt16) {
        #expect(ParsedFrames(ClientFrame.close(code)).error == nil)
    }

    @Test func `a Close reason that is not UTF-8 is refused`() {
        #expect(refusal(ClientFrame.bytes(8, [0x03, 0xE8, 0xC3])) == 1007)
        #expect(refusal(ClientFrame.bytes(8, [0x03, 0xE8, 0xFF])) == 1007)
    }

    // MARK: §8.1 Text

    @Test func `a character may be split across fragments`() {
        let fragments = Array("a😀ö".utf8)
        var bytes = ClientFrame.bytes(1, [], isFinal: false)
        for byte in fragments { bytes += ClientFrame.bytes(0, [byte], isFinal: false) + ClientFrame.bytes(9) }
        bytes += ClientFrame.bytes(0)
        #expect(ParsedFrames(bytes).events.last == .message(.text("a😀ö")))
    }

    @Test func `an invalid UTF-8 byte is refused as it arrives, before its frame is complete`() {
        let good = Array("κόσμε".utf8)
        // The first half of a surrogate: its second byte is the invalid one.
        let start = ClientFrame.bytes(1, good + [0xED], isFinal: false)
        let next = ClientFrame.bytes(0, [0xA0] + [UInt8](repeating: 65, count: 100), isFinal: false)
        #expect(ParsedFrames(start).error == nil)
        #expect(ParsedFrames(start + next[..<6]).error == nil)
        #expect(refusal(start + next[..<7]) == 1007)
    }

    @Test func `a text message that ends within a character is refused`() {
        #expect(refusal(ClientFrame.bytes(1, [0xC3])) == 1007)
        #expect(refusal(ClientFrame.bytes(1, [0xE2], isFinal: false) + ClientFrame.bytes(0, [0x82])) == 1007)
        // The next text does not complete it, either.
        #expect(ParsedFrames(ClientFrame.bytes(2, [0xC3]) + ClientFrame.text("a")).events.count == 2)
    }

    // MARK: §10.4 Limits

    @Test func `a message over the limit is refused as soon as its frame header arrives`() {
        #expect(ParsedFrames(ClientFrame.bytes(2, [UInt8](repeating: 0, count: 100)), maximumMessage: 100).error == nil)
        let frame = ClientFrame.bytes(2, [UInt8](repeating: 0, count: 101))
        #expect(refusal(Array(frame[..<2]), maximumMessage: 100) == 1009)
        #expect(refusal([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7)) == 1009)
    }

    @Test func `the message limit applies to all fragments together`() {
        let half = [UInt8](repeating: 0, count: 50)
        let bytes = ClientFrame.bytes(2, half, isFinal: false) + ClientFrame.bytes(0, half, isFinal: false)
        #expect(ParsedFrames(bytes, maximumMessage: 100).error == nil)
        #expect(refusal(bytes + ClientFrame.bytes(0, [1]), maximumMessage: 100) == 1009)
        #expect(ParsedFrames(bytes + ClientFrame.bytes(0), maximumMessage: 100).events.count == 1)
        // A control frame between them does not count.
        #expect(ParsedFrames(bytes + ClientFrame.bytes(9, half), maximumMessage: 100).events == [.ping(half)])
    }

    @Test func `after an error, the parser only repeats the error`() {
        var parser = WebSocketParser(maximumMessage: 100)
        ([0xFF] + ClientFrame.text("a")).withUnsafeBytes { parser.append($0) }
        for _ in 0..<3 { #expect(throws: WebSocketError.self) { _ = try parser.next() } }
        ClientFrame.text("a").withUnsafeBytes { parser.append($0) }
        #expect(throws: WebSocketError.self) { _ = try parser.next() }
    }
}
