/// A 64-bit identifier whose only text form is 13 characters of Crockford's base 32, in lower case.
public protocol OpaqueIdentifier: RawRepresentable, Hashable, Sendable, LosslessStringConvertible {
    var rawValue: UInt64 { get }

    init(rawValue: UInt64)
}

extension OpaqueIdentifier {
    /// Nil for any text that ``description`` does not return.
    public init?(_ description: String) {
        guard let value = OpaqueCode.decode(description) else { return nil }
        self.init(rawValue: value)
    }

    /// Parses the bytes of a text in the same way.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = OpaqueCode.decode(bytes) else { return nil }
        self.init(rawValue: value)
    }

    public var description: String { OpaqueCode.encode(rawValue) }

    /// Appends the characters of the description.
    public func append(to bytes: inout [UInt8]) { OpaqueCode.append(rawValue, to: &bytes) }
}
