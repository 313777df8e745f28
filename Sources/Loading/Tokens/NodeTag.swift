/// Identifies a node in its sessions and tokens: 32 random bits, drawn when the node starts. The tag distinguishes the
/// nodes of a gallery, and a node from its state before a restart. It is not a secret.
public struct NodeTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A new tag from the system's random generator.
    public init() { rawValue = .random(in: .min ... .max) }

    /// Eight hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
