import Testing

@testable import HTTPServer

@Suite struct WebSocketFrameTests {
    private func head(_ length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrame.appendHead(.binary, length: length, to: &bytes)
        return bytes
    }

    @Test func `a length is encoded in its shortest form`() {
        #expect(head(0) == [0x82, 0])
        #expect(head(125) == [0x82, 125])
        #expect(head(126) == [0x82, 126, 0, 126])
        #expect(head(65_535) == [0x82, 126, 0xFF, 0xFF])
        #expect(head(65_536) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
    }

    @Test func `a Close frame has a code and a reason, or neither`() {
        var bytes: [UInt8] = []
        WebSocketFrame.appendClose(.goingAway, reason: "bye", to: &bytes)
        #expect(bytes == [0x88, 5, 0x03, 0xE9] + Array("bye".utf8))
        bytes = []
        WebSocketFrame.appendClose(.noStatus, reason: "never sent", to: &bytes)
        #expect(bytes == [0x88, 0])
    }

    @Test func `a reason is truncated at a character boundary`() {
        var bytes: [UInt8] = []
        WebSocketFrame.appendClose(.normal, reason: "a" + String(repeating: "ö", count: 100), to: &bytes)
        #expect(bytes.count == 2 + 125)
        #expect(String(validating: bytes[4...], as: UTF8.self) == "a" + String(repeating: "ö", count: 61))
        bytes = []
        WebSocketFrame.appendClose(.normal, reason: String(repeating: "ö", count: 100), to: &bytes)
        #expect(bytes.count == 2 + 2 + 122)
    }

    @Test func `close codes that must not be sent cannot be created`() {
        let sendable = (0...UInt16.max).filter { WebSocketCloseCode(rawValue: $0) != nil }
        #expect(sendable == Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
    }
}
