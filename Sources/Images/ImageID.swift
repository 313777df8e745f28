/// The stable name of one image of the gallery. It survives restarts and changes of order, and says nothing about
/// where the image is kept: clients name images only by it.
public struct ImageID: RawRepresentable, Hashable, Sendable, LosslessStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Nil unless `description` is an id in its one written form (13 letters of base 32).
    public init?(_ description: String) {
        guard let value = OpaqueCode.decode(description) else { return nil }
        rawValue = value
    }

    /// The same of the bytes of a text.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = OpaqueCode.decode(bytes) else { return nil }
        rawValue = value
    }

    public var description: String { OpaqueCode.encode(rawValue) }

    /// Appends the letters of the description.
    public func append(to bytes: inout [UInt8]) { OpaqueCode.append(rawValue, to: &bytes) }
}
