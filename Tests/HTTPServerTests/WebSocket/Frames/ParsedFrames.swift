@testable import HTTPServer

/// What a parser made of some bytes.
struct ParsedFrames: Equatable {
    var events: [WebSocketParser.Event] = []
    var error: WebSocketError?
    /// The most bytes that it held at a time, counted after all events of a piece were taken.
    var mostHeld = 0

    init(_ pieces: [[UInt8]], maximumMessage: Int = 65_536) {
        var parser = WebSocketParser(maximumMessage: maximumMessage)
        do throws(WebSocketError) {
            for piece in pieces {
                piece.withUnsafeBytes { parser.append($0) }
                while let event = try parser.next() { events.append(event) }
                mostHeld = max(mostHeld, Self.held(parser))
            }
        } catch {
            self.error = error
            mostHeld = max(mostHeld, Self.held(parser))
        }
    }

    init(_ bytes: [UInt8], maximumMessage: Int = 65_536) { self.init([bytes], maximumMessage: maximumMessage) }

    static func == (one: Self, other: Self) -> Bool { one.events == other.events && one.error == other.error }

    private static func held(_ parser: WebSocketParser) -> Int {
        Mirror(reflecting: parser).children.reduce(0) { sum, child in
            guard let bytes = child.value as? [UInt8] else { return sum }
            // What is consumed of the buffer counts for nothing new, but it is held.
            return sum + bytes.count
        }
    }
}
