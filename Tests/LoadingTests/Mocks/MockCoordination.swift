import Images
import Locking
import Scheduling

@testable import Loading

/// Other nodes that do only what the test says, and the renditions they share.
final class MockCoordination: Coordinating, RenditionTier {
    /// A requested lease.
    final class Asked: Lease {
        let name: SharedName
        let level: Priority.Level
        let bypassesNegativeCache: Bool
        let outcomes = Recorder<LeaseOutcome>()
        private let onEvent: @Sendable (LeaseEvent) -> Void

        init(
            _ name: SharedName, _ level: Priority.Level, _ bypassesNegativeCache: Bool,
            onEvent: @escaping @Sendable (LeaseEvent) -> Void
        ) {
            self.name = name
            self.level = level
            self.bypassesNegativeCache = bypassesNegativeCache
            self.onEvent = onEvent
        }

        func announce(_ news: LeaseEvent) { onEvent(news) }
        func end(_ outcome: LeaseOutcome) { outcomes.record(outcome) }
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
    /// The content versions from bucket listings that were passed to lookups.
    let listed = Recorder<ContentVersion>()
    private let alone = Guarded(false)
    private let room = Guarded(true)
    private let serving = Guarded(false)
    private let shared = Guarded<[SharedName: SharedRendition]>([:])

    var isSingleNode: Bool {
        get { alone.withLock { $0 } }
        set { alone.withLock { $0 = newValue } }
    }

    /// Whether the tier stores new renditions.
    var hasRoom: Bool {
        get { room.withLock { $0 } }
        set { room.withLock { $0 = newValue } }
    }

    /// Whether a single node uses the tier as well.
    var servesSingleNode: Bool {
        get { serving.withLock { $0 } }
        set { serving.withLock { $0 = newValue } }
    }

    /// The rendition that other nodes have stored under a name.
    subscript(name: SharedName) -> SharedRendition? {
        get { shared.withLock { $0[name] } }
        set { shared.withLock { $0[name] = newValue } }
    }

    func ask(
        _ name: SharedName, level: Priority.Level, bypassesNegativeCache: Bool,
        onEvent: @escaping @Sendable (LeaseEvent) -> Void
    ) -> any Lease {
        let turn = Asked(name, level, bypassesNegativeCache, onEvent: onEvent)
        asked.record(turn)
        return turn
    }

    func announce(made name: SharedName) { told.record(name) }

    func announce(unshared name: SharedName) { unshared.record(name) }

    func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        looks.record(name)
        if let listed { self.listed.record(listed) }
        found(self[name])
    }

    func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        kept.record(Kept(rendition: rendition, name: name, fence: fence))
        done(hasRoom)
    }
}
