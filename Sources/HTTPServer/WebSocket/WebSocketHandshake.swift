import Encodings
import HTTPTypes
import Hashing

/// The server's side of the opening handshake (RFC 6455 §4.2): a request in, the fields of its response out, no I/O.
struct WebSocketHandshake {
    /// The subprotocol chosen from the client's offer.
    let subprotocol: String?
    /// The `Sec-WebSocket-Accept` that proves that the server understood the request.
    let accept: String

    /// Throws the ``Problem`` to respond with if there can be no WebSocket.
    init(_ request: Request, subprotocols: [String]) throws(Problem) {
        guard request.method == .get || request.method == .head else {
            throw Problem(
                .methodNotAllowed, detail: "A WebSocket is opened with GET.", headers: [.allow: "GET, HEAD"])
        }
        // HEAD gets the response of a GET that opens no WebSocket: it is never a handshake itself (RFC 6455 §4.1).
        guard request.method == .get else { throw Self.upgradeRequired("A WebSocket is opened with GET.") }
        guard request.head.requestsWebSocket else {
            throw Self.upgradeRequired("This is a WebSocket: ask with Upgrade: websocket and Connection: Upgrade.")
        }
        guard request.head.minorVersion > 0 else {
            throw Problem(.badRequest, detail: "A WebSocket needs HTTP/1.1.")
        }
        guard request.head.framing == .none || request.head.framing == .length(0) else {
            throw Problem(.badRequest, detail: "A request for a WebSocket has no body.")
        }
        let headers = request.headers
        guard headers[.secWebSocketVersion] == "13" else {
            throw Self.upgradeRequired("The only supported WebSocket version is 13.")
        }
        guard let key = headers[.secWebSocketKey], Self.isKey(key) else {
            throw Problem(
                .badRequest, detail: "Sec-WebSocket-Key is not 16 bytes in base64.",
                members: ["field": "Sec-WebSocket-Key"])
        }
        accept = Self.accept(for: key)
        subprotocol = try Self.choose(from: headers[.secWebSocketProtocol], among: subprotocols)
    }

    /// The fields of the response with status 101.
    var headers: HTTPFields {
        var headers: HTTPFields = [.upgrade: "websocket", .secWebSocketAccept: accept]
        headers[.secWebSocketProtocol] = subprotocol
        return headers
    }

    private static func upgradeRequired(_ detail: String) -> Problem {
        // RFC 9110 §15.5.22 and RFC 6455 §4.4.
        Problem(.upgradeRequired, detail: detail, headers: [.upgrade: "websocket", .secWebSocketVersion: "13"])
    }

    // MARK: The key (RFC 6455 §4.2.2, 5.4)

    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The base64 of the SHA-1 of the key and the protocol's fixed identifier. No secret depends on it.
    static func accept(for key: String) -> String {
        Base64.standard.encode(SHA1.hash(Array((key + identifier).utf8)))
    }

    /// Whether `text` is 16 bytes in base64.
    private static func isKey(_ text: String) -> Bool {
        let text = text.utf8
        return text.count == 24 && text.suffix(2).elementsEqual("==".utf8)
            && text.dropLast(2).allSatisfy(Base64.standard.contains)
    }

    // MARK: The subprotocol (RFC 6455 §4.2.2, 5.5)

    private static func choose(from offer: String?, among known: [String]) throws(Problem) -> String? {
        let offered = (offer ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(Substring($0)).trimmingBlanks
        }
        guard offer == nil || offered.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }) else {
            throw Problem(
                .badRequest, detail: "Sec-WebSocket-Protocol is not a list of names.",
                members: ["field": "Sec-WebSocket-Protocol"])
        }
        guard !known.isEmpty else { return nil }
        guard let chosen = known.first(where: offered.contains) else {
            throw Problem(
                .badRequest, detail: "The supported subprotocols are \(known.joined(separator: ", ")).",
                members: ["field": "Sec-WebSocket-Protocol"])
        }
        return chosen
    }
}

extension String {
    /// The text without the spaces and tabs around it.
    fileprivate var trimmingBlanks: String {
        var copy = self
        return copy.withUTF8 { String(decoding: ASCII.trimmed(UnsafeRawBufferPointer($0)), as: UTF8.self) }
    }
}
