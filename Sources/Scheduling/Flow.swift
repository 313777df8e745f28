/// The party that a piece of work is done for, in the terminology of fair queueing.
///
/// Permits rotate among owners, however much each of them asks for and under however many names. An owner's share
/// rotates among its members, so that two pages in one household don't hold each other up.
public struct Flow: Hashable, Sendable, Comparable {
    /// The holder of one share: a client.
    public struct Owner: Hashable, Sendable, Comparable {
        private let number: UInt64

        fileprivate init(number: UInt64) { self.number = number }

        /// Equal for equal values. The number is a hash with a per-process random seed, so that nobody can choose a
        /// name that falls into another's share. Two owners whose hashes collide by chance merely share one share.
        public init(of who: some Hashable) {
            number = UInt64(UInt(bitPattern: who.hashValue))
        }

        public static func < (left: Owner, right: Owner) -> Bool { left.number < right.number }
    }

    /// One of an owner's members: a session.
    struct Member: Hashable, Sendable, Comparable {
        fileprivate let number: UInt64
        static func < (left: Member, right: Member) -> Bool { left.number < right.number }
    }

    /// The owner whose share the flow uses.
    public let owner: Owner
    let member: Member

    /// The flow of work that belongs to nobody in particular.
    public static let common = Flow(owner: Owner(number: 0), member: Member(number: 0))

    private init(owner: Owner, member: Member) {
        self.owner = owner
        self.member = member
    }

    /// The flow of an owner without members, or of an owner's work that belongs to none of them.
    public init(of who: some Hashable) {
        self.init(owner: Owner(of: who), member: Member(number: 0))
    }

    /// The flow of one member of an owner.
    public init(of who: some Hashable, member: some Hashable) {
        self.init(owner: Owner(of: who), member: Member(number: UInt64(UInt(bitPattern: member.hashValue))))
    }

    public static func < (left: Flow, right: Flow) -> Bool { (left.owner, left.member) < (right.owner, right.member) }
}
