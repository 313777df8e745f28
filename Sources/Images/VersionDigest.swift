/// Makes a content's version of bytes. FNV-1a with a finaliser; not against forgery, for an origin can only forge its own
/// pictures.
public struct VersionDigest: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    public init() {}

    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    public var version: ContentVersion { ContentVersion(rawValue: SplitMix.mixed(state)) }
}
