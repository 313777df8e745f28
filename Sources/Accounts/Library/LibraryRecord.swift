/// One entry of the library. All records are held in memory; a store keeps them safe.
public struct LibraryRecord: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The secret of the installation. One record, `installation`.
        case secret
        case account
        case session
        case passkey
        case appToken
        case invitation
        case share
    }

    public let kind: Kind
    /// Unique among the records of its kind.
    public let id: String
    /// JSON; nil if the record is removed.
    public let body: [UInt8]?

    public init(_ kind: Kind, _ id: String, _ body: [UInt8]?) {
        self.kind = kind
        self.id = id
        self.body = body
    }

    /// What names a record.
    public struct Key: Hashable, Sendable {
        public let kind: Kind
        public let id: String
    }

    public var key: Key { Key(kind: kind, id: id) }
}
