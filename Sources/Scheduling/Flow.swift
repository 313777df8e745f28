/// Whose piece of work it is: the word of fair queueing for what one party asks for.
///
/// Places go round the owners, however much each of them wants and under however many names; within an owner's share they
/// go round its members, so that of two pages of one household neither waits for the other.
public struct Flow: Hashable, Sendable, Comparable {
    /// Who has one share: a client.
    public struct Owner: Hashable, Sendable, Comparable {
        private let number: UInt64

        fileprivate init(number: UInt64) { self.number = number }

        /// The same for equals. Its name is a hash that is seeded anew for each process, so that nobody can choose a name
        /// to fall into another's share; two that fall together by chance share a turn, and that is all.
        public init(of who: some Hashable) {
            number = UInt64(UInt(bitPattern: who.hashValue))
        }

        public static func < (left: Owner, right: Owner) -> Bool { left.number < right.number }
    }

    /// What an owner calls one of those that it asks for: a session.
    struct Member: Hashable, Sendable, Comparable {
        fileprivate let number: UInt64
        static func < (left: Member, right: Member) -> Bool { left.number < right.number }
    }

    public let owner: Owner
    let member: Member

    /// The flow of all work that is nobody's in particular.
    public static let common = Flow(owner: Owner(number: 0), member: Member(number: 0))

    private init(owner: Owner, member: Member) {
        self.owner = owner
        self.member = member
    }

    /// The flow of an owner that has no members, or of what it asks for outside of them.
    public init(of who: some Hashable) {
        self.init(owner: Owner(of: who), member: Member(number: 0))
    }

    /// The flow of one member of an owner.
    public init(of who: some Hashable, member: some Hashable) {
        self.init(owner: Owner(of: who), member: Member(number: UInt64(UInt(bitPattern: member.hashValue))))
    }

    public static func < (left: Flow, right: Flow) -> Bool { (left.owner, left.member) < (right.owner, right.member) }
}
