/// A link that shows a part of the gallery to whoever has it.
public struct Share: Hashable, Sendable {
    /// Names the share in lists; not secret.
    public let id: String
    /// Who made it. The share ends when this account may no longer share.
    public let account: AccountID
    /// What its maker calls it.
    public let name: String
    /// The canonical text of the view that it shows; empty for the whole gallery, or for a selection.
    public let view: String
    /// The images that it shows, by the values of their ids; empty for a view.
    public let images: [UInt64]
    /// Seconds since 1970, as all times here.
    public let created: Int64
    /// Nil for a share that does not expire.
    public let expires: Int64?
    /// The Argon2id hash of the password; nil for none.
    let passwordHash: String?
    /// What visitors get beyond the pictures themselves.
    public let contents: Contents
    /// How often it was opened.
    public var visits: Int

    public var hasPassword: Bool { passwordHash != nil }

    public struct Contents: NamedOptions, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Titles, keywords, cameras. With the place, also searching.
        public static let metadata = Contents(rawValue: 1)
        /// Where pictures were taken.
        public static let place = Contents(rawValue: 2)
        /// The originals: unchanged with both the metadata and the place, otherwise redacted.
        public static let originals = Contents(rawValue: 4)

        public static let named: [(name: String, option: Contents)] = [
            ("metadata", .metadata), ("place", .place), ("originals", .originals),
        ]
    }

    func isAlive(at now: Int64) -> Bool { expires.map { now < $0 } ?? true }

    /// The secret part of the link: 128 bits, which follow from the installation's secret, so that the library need not
    /// keep it and its maker can copy the link again.
    public func key(_ secret: InstallationSecret) -> String {
        secret.text(for: "share \(id)")
    }

    /// What a visitor's browser gets once the password was right. Another password makes another one.
    func pass(_ secret: InstallationSecret) -> String {
        secret.text(for: "pass \(id) \(passwordHash ?? "")")
    }
}

/// Somebody who follows a link.
public struct ShareVisit: Hashable, Sendable {
    /// The secret part of the link.
    public let key: String
    public let share: Share
    /// Nil until the visitor has given the password.
    public let principal: Principal?
}
