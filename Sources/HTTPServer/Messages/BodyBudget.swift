import Synchronization

/// How many bytes of request bodies may be held in memory together: by a whole server, or by a part of one, whose
/// bytes count for the whole as well.
///
/// When it is used up, a body that brings more is refused (503 with `Retry-After`) and not held back: bodies that wait
/// for each other's room, none of them whole, would wait for ever.
public final class BodyBudget: Sendable {
    /// In bytes.
    public let limit: Int
    private let whole: BodyBudget?
    private let held = Atomic<Int>(0)

    /// - Parameter whole: The budget of which this one is a part, for instance what one client may hold of a server's.
    public init(limit: Int, within whole: BodyBudget? = nil) {
        self.limit = limit
        self.whole = whole
    }

    /// Bytes that are held at this moment.
    public var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Counts `count` bytes more, if there is room for them here and in the whole.
    func take(_ count: Int) -> Bool {
        guard held.wrappingAdd(count, ordering: .relaxed).newValue <= limit, whole?.take(count) ?? true else {
            held.wrappingSubtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    func giveBack(_ count: Int) {
        held.wrappingSubtract(count, ordering: .relaxed)
        whole?.giveBack(count)
    }
}
