/// The messages on their way to the client, and of which slots they are.
struct Flights: Sendable {
    private struct Message: Sendable {
        let end: Int
        let slot: Int
        let bytes: Int
        let isTile: Bool
    }

    /// More than any link holds; a client that says once what came, and never again, has the oldest forgotten.
    static let most = 8_192

    private var messages: [Message] = []

    var count: Int { messages.count }

    /// - Parameter end: bytes handed over up to the end of this message.
    mutating func add(slot: Int, bytes: Int, isTile: Bool, end: Int) {
        if messages.count >= Self.most { messages.removeFirst(Self.most / 4) }
        messages.append(Message(end: end, slot: slot, bytes: bytes, isTile: isTile))
    }

    /// The client has so many bytes.
    ///
    /// - Returns: Whether a tile for one of these slots has come.
    @discardableResult
    mutating func land(_ received: Int, inside slots: Range<Int> = 0..<0) -> Bool {
        let landed = messages.prefix { $0.end <= received }
        let hasTile = landed.contains { $0.isTile && slots.contains($0.slot) }
        if !landed.isEmpty { messages.removeFirst(landed.count) }
        return hasTile
    }

    /// Bytes on their way for slots outside of `slots`.
    func bytes(outside slots: Range<Int>) -> Int {
        messages.reduce(0) { slots.contains($1.slot) ? $0 : $0 + $1.bytes }
    }

    /// Whether a tile is on its way to one of these slots.
    func hasTile(inside slots: Range<Int>) -> Bool {
        messages.contains { $0.isTile && slots.contains($0.slot) }
    }

    /// Bytes of tiles on their way.
    var tileBytes: Int { messages.reduce(0) { $1.isTile ? $0 + $1.bytes : $0 } }
}
