/// The in-flight messages, and the slots that they are for.
struct InFlightMessages: Sendable {
    private struct Message: Sendable {
        let end: Int
        let slot: Int
        let bytes: Int
        let isTile: Bool
    }

    /// More than any link holds. If a client acknowledges once and never again, the oldest messages are dropped.
    static let maximumMessages = 8_192

    private var messages: [Message] = []

    var count: Int { messages.count }

    /// - Parameter end: bytes handed to the socket up to the end of this message.
    mutating func add(slot: Int, bytes: Int, isTile: Bool, end: Int) {
        if messages.count >= Self.maximumMessages { messages.removeFirst(Self.maximumMessages / 4) }
        messages.append(Message(end: end, slot: slot, bytes: bytes, isTile: isTile))
    }

    /// The client has received `received` bytes in total.
    ///
    /// - Returns: Whether a tile for one of `slots` has arrived.
    @discardableResult
    mutating func land(_ received: Int, inside slots: Range<Int> = 0..<0) -> Bool {
        let landed = messages.prefix { $0.end <= received }
        let hasTile = landed.contains { $0.isTile && slots.contains($0.slot) }
        if !landed.isEmpty { messages.removeFirst(landed.count) }
        return hasTile
    }

    /// In-flight bytes for slots outside of `slots`.
    func bytes(outside slots: Range<Int>) -> Int {
        messages.reduce(0) { slots.contains($1.slot) ? $0 : $0 + $1.bytes }
    }

    /// Whether a tile for one of these slots is in flight.
    func hasTile(inside slots: Range<Int>) -> Bool {
        messages.contains { $0.isTile && slots.contains($0.slot) }
    }

    /// In-flight bytes of tiles.
    var tileBytes: Int { messages.reduce(0) { $1.isTile ? $0 + $1.bytes : $0 } }
}
