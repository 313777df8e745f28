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

    public var description: String { OpaqueCode.encode(rawValue) }
}

extension ContentVersion {
    /// The version of a local file: another size or time of change is another content.
    public init(fileSize: Int64, modifiedSeconds: Int64, nanoseconds: Int64) {
        self.init(mixing: [fileSize, modifiedSeconds, nanoseconds].map(UInt64.init(bitPattern:)))
    }

    /// Mixes words into one with the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
    /// number generators", 2014), so that near values give far versions.
    private init(mixing words: [UInt64]) {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        for word in words {
            state = (state ^ word) &+ 0x9e37_79b9_7f4a_7c15
            state = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            state = (state ^ (state >> 27)) &* 0x94d0_49bb_1331_11eb
            state ^= state >> 31
        }
        self.init(rawValue: state)
    }
}
