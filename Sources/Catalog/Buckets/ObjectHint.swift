/// Somebody says that something has happened to an object. It is a hint and no more: whatever it says, and in whichever
/// order hints come, what is there now the store is asked.
public struct ObjectHint: Hashable, Sendable {
    public var bucket: String
    /// Any bytes, as the store has them.
    public var key: [UInt8]

    public init(bucket: String, key: [UInt8]) {
        self.bucket = bucket
        self.key = key
    }

    /// The key as events have it, without spaces.
    public var encodedKey: String { URLCoding.encoded(key) }

    /// - Parameter encodedKey: as events have it: encoded as in a form. Nil when it is not, or is no text, which keys are;
    ///   a store that has others is listed, and not asked for them.
    public init?(bucket: String, encodedKey: String) {
        guard let key = URLCoding.decoded(Array(encodedKey.utf8)), String(validating: key, as: UTF8.self) != nil
        else { return nil }
        self.init(bucket: bucket, key: key)
    }
}
