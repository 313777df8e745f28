/// Identifies the present content of an image: different content has a different version. It is the `v` of a
/// rendition's URL and a part of every cache key, so that a request for a changed image never gets the bytes of the old
/// one.
public struct ContentVersion: OpaqueIdentifier {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

extension ContentVersion {
    /// The version of a local file: a different size or modification time means different content.
    public init(fileSize: Int64, modifiedSeconds: Int64, nanoseconds: Int64) {
        self.init(mixing: [fileSize, modifiedSeconds, nanoseconds].map(UInt64.init(bitPattern:)))
    }

    private init(mixing words: [UInt64]) {
        self.init(rawValue: words.reduce(SplitMix.start) { SplitMix.mixed($0, with: $1) })
    }
}
