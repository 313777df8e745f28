/// Computes a content version from bytes. FNV-1a with a finaliser; not safe against forgery, but an origin can forge
/// only its own images.
public struct VersionDigest: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    public init() {}

    /// Appends bytes to the content.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The version of all bytes so far.
    public var version: ContentVersion { ContentVersion(rawValue: SplitMix.mixed(state)) }
}
