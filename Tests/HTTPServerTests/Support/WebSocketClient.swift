import HTTPTypes

@testable import HTTPServer

/// A client's frames: masked, and malformed wherever a test wants them to be.
enum ClientFrame {
    /// A frame. Tests can give a wrong length or omit the mask.
    static func bytes(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true,
        key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D], lengthBytes: Int? = nil
    ) -> [UInt8] {
        let shortest = payload.count < 126 ? 0 : payload.count < 65_536 ? 2 : 8
        let mask: UInt8 = isMasked ? 0x80 : 0
        var frame = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        switch lengthBytes ?? shortest {
        case 0: frame.append(mask | UInt8(payload.count))
        case 2: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: frame += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return frame + payload }
        return frame + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func text(_ text: String, isFinal: Bool = true) -> [UInt8] { bytes(1, Array(text.utf8), isFinal: isFinal) }

    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        bytes(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }
}

/// A frame from the server.
struct ServerFrame: Hashable {
    var opcode: UInt8
    var payload: [UInt8]

    static func text(_ text: String) -> ServerFrame { ServerFrame(opcode: 1, payload: Array(text.utf8)) }
    static func close(_ code: UInt16, _ reason: String = "") -> ServerFrame {
        ServerFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }
}

/// A client with an open WebSocket.
struct WebSocketClient {
    static let request = """
        GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
        """

    let connection: TestClient

    func send(_ frame: [UInt8]) async throws { try await connection.send(frame) }

    /// The next frame; pings, which arrive when a test takes long, only if `pings` is set. Throws if the server
    /// violated the rules for its frames: complete, unmasked, with the shortest length.
    func receive(pings: Bool = false) async throws -> ServerFrame {
        let frame = try await receiveFrame()
        return frame.opcode == 9 && !pings ? try await receive() : frame
    }

    private func receiveFrame() async throws -> ServerFrame {
        let head = try await connection.receive(count: 2)
        guard head[0] & 0xF0 == 0x80, head[1] & 0x80 == 0 else { throw TestError(description: "a wrong head: \(head)") }
        var length = Int(head[1])
        if length > 125 {
            let width = length == 126 ? 2 : 8
            length = try await connection.receive(count: width).reduce(0) { $0 << 8 | Int($1) }
            guard length > (width == 2 ? 125 : 65_535) else { throw TestError(description: "a long length") }
        }
        return ServerFrame(opcode: head[0] & 0xF, payload: try await connection.receive(count: length))
    }

    /// Whether the server closes the connection without sending anything further.
    func expectEnd() async throws -> Bool { try await connection.receiveToEnd().isEmpty }
}

extension TestServer {
    /// Opens a WebSocket at `/`. `more` is sent together with the handshake.
    func openWebSocket(
        receiveBuffer: Int32? = nil, headers: String = "", more: [UInt8] = []
    ) async throws -> WebSocketClient {
        let client = try connect(receiveBuffer: receiveBuffer)
        try await client.send(Array((WebSocketClient.request + headers + "\r\n").utf8) + more)
        let answer = try await client.receiveHead()
        guard answer.status == 101, answer.headers[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
            throw TestError(description: "no WebSocket: \(answer)")
        }
        return WebSocketClient(connection: client)
    }
}
