import Encodings

/// A message that something has happened to an object. It is only a hint: whatever it says, and in whichever order
/// hints arrive, the store is asked for the object's current state.
public struct ObjectHint: Hashable, Sendable {
    public var bucket: String
    /// Any bytes, as the store has them.
    public var key: [UInt8]

    public init(bucket: String, key: [UInt8]) {
        self.bucket = bucket
        self.key = key
    }

    /// The key as in event notifications: percent-encoded, without spaces.
    public var encodedKey: String { PercentEncoding.encode(key) }

    /// - Parameter encodedKey: The key as in event notifications, form-encoded. The result is nil if it is not
    ///   correctly encoded, or not UTF-8; objects with such keys are found by listings only.
    public init?(bucket: String, encodedKey: String) {
        guard let key = PercentEncoding.bytes(of: encodedKey.utf8, plusIsSpace: true),
            String(validating: key, as: UTF8.self) != nil
        else { return nil }
        self.init(bucket: bucket, key: key)
    }
}
