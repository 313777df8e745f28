/// A node, as its sessions and tokens name it: 32 random bits, drawn when the node starts. They tell the nodes of a gallery
/// from each other, and a node from what it was before a restart; they are no secret.
public struct NodeTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A new one, from the system's generator.
    public init() { rawValue = .random(in: .min ... .max) }

    /// Eight hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
