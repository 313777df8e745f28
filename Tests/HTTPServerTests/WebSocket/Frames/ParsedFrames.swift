@testable import HTTPServer

/// What a parser made of some bytes.
struct ParsedFrames: Equatable {
    var events: [WebSocketParser.Event] = []
    var error: WebSocketError?
    /// The most bytes it held at a time, counted after all events of a piece were taken.
    var maximumHeld = 0

    init(_ pieces: [[UInt8]], maximumMessage: Int = 65_536) {
        var parser = WebSocketParser(maximumMessage: maximumMessage)
        do throws(WebSocketError) {
            for piece in pieces {
                piece.withUnsafeBytes { parser.append($0) }
                while let event = try parser.next() { events.append(event) }
                maximumHeld = max(maximumHeld, Self.held(parser))
            }
        } catch {
            self.error = error
            maximumHeld = max(maximumHeld, Self.held(parser))
        }
    }

    init(_ bytes: [UInt8], maximumMessage: Int = 65_536) { self.init([bytes], maximumMessage: maximumMessage) }

    static func == (one: Self, other: Self) -> Bool { one.events == other.events && one.error == other.error }

    private static func held(_ parser: WebSocketParser) -> Int {
        Mirror(reflecting: parser).children.reduce(0) { sum, child in
            guard let bytes = child.value as? [UInt8] else { return sum }
            // Consumed bytes of the buffer count as well, because they are still held.
            return sum + bytes.count
        }
    }
}
