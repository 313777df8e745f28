/// Names the present content of an image: another content has another version. It is the `v` of a rendition's URL and
/// part of every cache key, so that a changed picture can never be answered with the bytes of the old one.
public struct ContentVersion: RawRepresentable, Hashable, Sendable, LosslessStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Nil unless `description` is a version in its one written form (13 letters of base 32).
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

extension ContentVersion {
    /// The version of a local file: another size or time of change is another content.
    public init(fileSize: Int64, modifiedSeconds: Int64, nanoseconds: Int64) {
        self.init(mixing: [fileSize, modifiedSeconds, nanoseconds].map(UInt64.init(bitPattern:)))
    }

    private init(mixing words: [UInt64]) {
        self.init(rawValue: words.reduce(SplitMix.start) { SplitMix.mixed($0, with: $1) })
    }
}
