@testable import HTTPServer

/// A client's bytes on one WebSocket: messages and responses are the same for any splitting by the network.
enum WebSocketTarget: FuzzTarget {
    private static let maximumMessage = 512

    private struct Hearing: Equatable {
        var messages: [WebSocketMessage] = []
        var end: WebSocketEnd?
    }

    static func run(_ input: [UInt8]) {
        let pieces = Pieces(input)
        var (atOnce, inPieces) = (Hearing(), Hearing())
        var whole = WebSocketState(maximumMessage: maximumMessage)
        pieces.bytes.withUnsafeBytes { whole.append($0) }
        hear(&whole, &atOnce)
        var cut = WebSocketState(maximumMessage: maximumMessage)
        pieces.forEach { piece in
            Array(piece).withUnsafeBytes { cut.append($0) }
            hear(&cut, &inPieces)
            var answer: [UInt8] = []
            _ = cut.appendControl(to: &answer)
            // A pong, a ping and a Close frame.
            precondition(answer.count <= 3 * 127, "more is answered than three control frames")
            cut.releaseBuffer()
        }
        precondition(atOnce == inPieces, "the same bytes are understood in two ways")
    }

    private static func hear(_ state: inout WebSocketState, _ hearing: inout Hearing) {
        while let event = state.next() {
            guard case .message(let message) = event else { continue }
            let length =
                switch message {
                case .text(let text): text.utf8.count
                case .binary(let bytes): bytes.count
                }
            precondition(length <= maximumMessage)
            hearing.messages.append(message)
        }
        hearing.end = state.end
        if state.end != nil { precondition(!state.isReceiving) }
    }
}
