import Images
import Locking
import Scheduling

@testable import Loading

/// Other machines that do nothing but what the test says, and what they keep.
final class MockOthers: Coordinating, RenditionTier {
    /// A turn that was asked for.
    final class Asked: Turn {
        let name: SharedName
        let urgency: Priority.Lane
        let insists: Bool
        let outcomes = Recorder<TurnOutcome>()
        private let hear: @Sendable (TurnNews) -> Void

        init(
            _ name: SharedName, _ urgency: Priority.Lane, _ insists: Bool,
            hear: @escaping @Sendable (TurnNews) -> Void
        ) {
            self.name = name
            self.urgency = urgency
            self.insists = insists
            self.hear = hear
        }

        func tell(_ news: TurnNews) { hear(news) }
        func end(_ outcome: TurnOutcome) { outcomes.record(outcome) }
    }

    struct Kept: Hashable {
        let rendition: SharedRendition
        let name: SharedName
        let fence: UInt64
    }

    let asked = Recorder<Asked>()
    let kept = Recorder<Kept>()
    let told = Recorder<SharedName>()
    let unshared = Recorder<SharedName>()
    let looks = Recorder<SharedName>()
    /// What a listing said of what was looked for.
    let listed = Recorder<ContentVersion>()
    private let alone = Guarded(false)
    private let room = Guarded(true)
    private let serving = Guarded(false)
    private let shared = Guarded<[SharedName: SharedRendition]>([:])

    var isAlone: Bool {
        get { alone.withLock { $0 } }
        set { alone.withLock { $0 = newValue } }
    }

    /// Whether what is to be kept is.
    var hasRoom: Bool {
        get { room.withLock { $0 } }
        set { room.withLock { $0 = newValue } }
    }

    /// Whether who is alone looks and keeps all the same.
    var servesAlone: Bool {
        get { serving.withLock { $0 } }
        set { serving.withLock { $0 = newValue } }
    }

    /// What others have kept under a name.
    subscript(name: SharedName) -> SharedRendition? {
        get { shared.withLock { $0[name] } }
        set { shared.withLock { $0[name] = newValue } }
    }

    func ask(
        _ name: SharedName, urgency: Priority.Lane, insists: Bool, hear: @escaping @Sendable (TurnNews) -> Void
    ) -> any Turn {
        let turn = Asked(name, urgency, insists, hear: hear)
        asked.record(turn)
        return turn
    }

    func tell(made name: SharedName) { told.record(name) }

    func tell(unshared name: SharedName) { unshared.record(name) }

    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        looks.record(name)
        if let listed { self.listed.record(listed) }
        found(self[name])
    }

    func keep(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        kept.record(Kept(rendition: rendition, name: name, fence: fence))
        done(hasRoom)
    }
}
