/// The number of an account, which is never used again.
public struct AccountID: Hashable, Sendable, LosslessStringConvertible {
    public let number: UInt32

    public init(number: UInt32) { self.number = number }

    /// Nil for any text that ``description`` does not return.
    public init?(_ description: String) {
        guard description.utf8.count == 8, let number = UInt32(description, radix: 16) else { return nil }
        self.number = number
        guard self.description == description else { return nil }
    }

    /// Eight hexadecimal digits.
    public var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A person who may sign in.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    /// The name to sign in with.
    public var name: String
    public var role: Role
    /// The Argon2id hash of the password, as a PHC string; ``Password/none`` without a password.
    var passwordHash: String
    /// Who the person is at an OpenID provider; nil if none signs the person in.
    var identity: OpenIDIdentity?
    /// Raised to end everything that was issued before: links with an older epoch are no longer valid.
    var epoch: UInt32 = 0
    /// Seconds since 1970.
    public let created: Int64

    public static let longestName = 64

    /// The form of a name that is stored: without surrounding spaces. Nil if the name is empty, too long, or contains
    /// control or invisible formatting characters, with which one name could be made to look like another.
    public static func normalized(_ name: String) -> String? {
        let name = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard !name.isEmpty, name.utf8.count <= longestName, isPlain else { return nil }
        return name
    }

    /// Names that are equal in this form belong to one account. Texts in Unicode's composed and decomposed forms are equal
    /// already.
    static func folded(_ name: String) -> String { name.lowercased() }
}

/// What an account is for.
public enum Role: String, Sendable, CaseIterable {
    /// May do everything, including inviting people and removing them.
    case owner
    /// Sees everything, and may download originals and share.
    case member
    /// Sees everything, but gets no originals.
    case guest

    var isOwner: Bool { self == .owner }

    public var rights: Rights {
        switch self {
        case .owner: .all
        case .member: [.view, .originals, .share]
        case .guest: .view
        }
    }
}

/// What somebody may do.
public struct Rights: NamedOptions, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To see pictures and their details.
    public static let view = Rights(rawValue: 1)
    /// To download originals.
    public static let originals = Rights(rawValue: 2)
    /// To see the state of the server: status, metrics, the audit log.
    public static let operate = Rights(rawValue: 4)
    /// To invite people, change their roles, and remove them.
    public static let manage = Rights(rawValue: 8)

    /// To share parts of the gallery by links.
    public static let share = Rights(rawValue: 16)

    public static let all: Rights = [.view, .originals, .operate, .manage, .share]

    /// The scopes: the rights that an app token can have.
    public static let named: [(name: String, option: Rights)] = [
        ("view", .view), ("originals", .originals), ("operate", .operate),
    ]
}
