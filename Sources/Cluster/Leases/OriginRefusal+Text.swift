import Origins
import Time

extension OriginRefusal {
    /// The form used in messages: the age in milliseconds, then the origin.
    var text: String { "\(age.milliseconds) \(origin)" }

    /// Nil for text that no node sends.
    init?(text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let age = Self.milliseconds(words[0]),
            (1...Self.maximumLength).contains(words[1].utf8.count)
        else { return nil }
        self.init(origin: String(words[1]), age: .milliseconds(age))
    }

    /// Enough for a DNS name (RFC 1035 §2.3.4) with scheme and port.
    private static let maximumLength = 300

    private static func milliseconds(_ text: some StringProtocol) -> UInt32? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
    }
}
