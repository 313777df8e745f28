import Encodings

/// A nonce that is valid for a limited time: its time of issue, then random bytes.
///
/// With a message authentication code, every node recognises a nonce that any node of the gallery issued, so the server stores
/// nothing per request.
struct TimedNonce: Hashable, Sendable {
    /// In bytes.
    static let length = timeLength + 12
    private static let timeLength = 4
    /// By how much the clocks of nodes may differ, in seconds.
    private static let skew: Int64 = 30

    let bytes: [UInt8]

    /// - Parameter now: In seconds since 1970, as all times here.
    init(at now: Int64) {
        let time = UInt32(truncatingIfNeeded: now)
        bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + .random(Self.length - Self.timeLength)
    }

    /// The nonce at the beginning of a message; nil if the message is too short.
    init?(startOf text: some Collection<UInt8>) {
        guard text.count >= Self.length else { return nil }
        bytes = Array(text.prefix(Self.length))
    }

    /// When it was issued.
    var time: Int64 { bytes.prefix(Self.timeLength).reduce(0) { $0 << 8 | Int64($1) } }

    /// Whether it was issued within the last `lifetime` seconds.
    func isValid(for lifetime: Int64, at now: Int64) -> Bool { (-Self.skew..<lifetime).contains(now - time) }
}
