import Dispatch
import Glibc

/// Resolves servers' names to addresses without blocking the loop.
///
/// The C library's resolver blocks for as long as its own timeouts allow. It therefore runs on threads of its own, and
/// concurrent callers for one name share the result. A numeric address is returned at once. On the loop only.
public final class HostLookup {
    /// The result of a lookup.
    public enum Answer: Hashable, Sendable {
        /// At least one address.
        case found([HostAddress])
        case unknown
        /// The lookup has not finished in time.
        case late
    }

    private struct Query: Hashable {
        let host: String
        let port: UInt16
    }

    private struct Waiter {
        let timer: LoopTimer
        let completion: (Answer) -> Void
    }

    private let loop: EventLoop
    private let resolve: @Sendable (String, UInt16) -> [HostAddress]
    private let queue = DispatchQueue(label: "tessera.names", attributes: .concurrent)
    /// The waiters of each in-flight lookup; empty once all of them have timed out.
    private var lookups: [Query: [UInt64: Waiter]] = [:]
    private var lastWaiter: UInt64 = 0

    /// The maximum number of in-flight lookups. Further ones fail at once, as ``Answer/late``.
    private static let maximumLookups = 16

    /// - Parameter resolve: Looks a name up; may block.
    public init(loop: EventLoop, resolve: @escaping @Sendable (_ host: String, _ port: UInt16) -> [HostAddress]) {
        self.loop = loop
        self.resolve = resolve
    }

    /// Uses the C library's resolver.
    public convenience init(loop: EventLoop) {
        self.init(loop: loop) { HostAddress.resolve($0, $1, flags: AI_ADDRCONFIG) }
    }

    /// - Parameter completion: Called once, on the loop.
    public func find(
        _ host: String, _ port: UInt16, within time: Duration, completion: @escaping (Answer) -> Void
    ) {
        let numeric = HostAddress.resolve(host, port, flags: AI_NUMERICHOST)
        guard numeric.isEmpty else { return completion(.found(numeric)) }
        let query = Query(host: host, port: port)
        let isInFlight = lookups[query] != nil
        guard isInFlight || lookups.count < Self.maximumLookups else { return completion(.late) }
        lastWaiter += 1
        let timer = loop.schedule(after: time) { [weak self, lastWaiter] in
            self?.lookups[query]?.removeValue(forKey: lastWaiter)?.completion(.late)
        }
        lookups[query, default: [:]][lastWaiter] = Waiter(timer: timer, completion: completion)
        if !isInFlight { begin(query) }
    }

    private func begin(_ query: Query) {
        // Invariant of the unchecked capture: `lookup` is used only on the loop.
        nonisolated(unsafe) weak let lookup = self
        queue.async { [loop, resolve] in
            let found = resolve(query.host, query.port)
            loop.execute { lookup?.ended(query, found) }
        }
    }

    private func ended(_ query: Query, _ found: [HostAddress]) {
        let waiters = lookups.removeValue(forKey: query) ?? [:]
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            waiter.timer.cancel()
            waiter.completion(found.isEmpty ? .unknown : .found(found))
        }
    }
}
