import Dispatch
import Glibc

/// Resolves servers' names to addresses without blocking the loop.
///
/// The C library's resolver blocks for as long as its own timeouts allow. It therefore runs on a queue of its own,
/// one lookup at a time, and concurrent callers share the result. A numeric address is returned at once. On the loop
/// only.
public final class HostLookup {
    /// The result of a lookup.
    public enum Answer: Hashable, Sendable {
        /// At least one address.
        case found([HostAddress])
        case unknown
        /// The lookup has not finished in time.
        case late
    }

    private struct Question: Hashable {
        let host: String
        let port: UInt16
    }

    private struct Waiter {
        let timer: LoopTimer
        let completion: (Answer) -> Void
    }

    private let loop: EventLoop
    private let resolve: @Sendable (String, UInt16) -> [HostAddress]
    private let queue = DispatchQueue(label: "tessera.names")
    /// Those who wait for each lookup that has not finished; nobody, if all of them have waited too long.
    private var lookups: [Question: [UInt64: Waiter]] = [:]
    private var lastWaiter: UInt64 = 0

    /// The maximum number of lookups that have not finished. Further ones are late at once.
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
        let question = Question(host: host, port: port)
        let isUnderWay = lookups[question] != nil
        guard isUnderWay || lookups.count < Self.maximumLookups else { return completion(.late) }
        lastWaiter += 1
        let timer = loop.schedule(after: time) { [weak self, lastWaiter] in
            self?.lookups[question]?.removeValue(forKey: lastWaiter)?.completion(.late)
        }
        lookups[question, default: [:]][lastWaiter] = Waiter(timer: timer, completion: completion)
        if !isUnderWay { begin(question) }
    }

    private func begin(_ question: Question) {
        // Invariant of the unchecked capture: `lookup` is used only on the loop.
        nonisolated(unsafe) weak let lookup = self
        queue.async { [loop, resolve] in
            let found = resolve(question.host, question.port)
            loop.execute { lookup?.ended(question, found) }
        }
    }

    private func ended(_ question: Question, _ found: [HostAddress]) {
        let waiters = lookups.removeValue(forKey: question) ?? [:]
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            waiter.timer.cancel()
            waiter.completion(found.isEmpty ? .unknown : .found(found))
        }
    }
}
