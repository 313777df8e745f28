import Dispatch
import Glibc

/// Resolves a server's name to addresses without blocking the loop.
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

    private let host: String
    private let port: UInt16
    private let loop: EventLoop
    private let resolve: @Sendable () -> [HostAddress]
    private let queue = DispatchQueue(label: "tessera.names")
    private var isUnderWay = false
    private var waiters: [UInt64: (timer: LoopTimer, completion: (Answer) -> Void)] = [:]
    private var lastWaiter: UInt64 = 0

    /// - Parameter resolve: Looks a name up; may block.
    public init(
        _ host: String, _ port: UInt16, loop: EventLoop,
        resolve: @escaping @Sendable (String, UInt16) -> [HostAddress]
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.resolve = { resolve(host, port) }
    }

    /// Uses the C library's resolver.
    public convenience init(_ host: String, _ port: UInt16, loop: EventLoop) {
        self.init(host, port, loop: loop) { HostAddress.resolve($0, $1, flags: AI_ADDRCONFIG) }
    }

    /// - Parameter completion: Called once, on the loop.
    public func find(within time: Duration, completion: @escaping (Answer) -> Void) {
        let numeric = HostAddress.resolve(host, port, flags: AI_NUMERICHOST)
        guard numeric.isEmpty else { return completion(.found(numeric)) }
        lastWaiter += 1
        let timer = loop.schedule(after: time) { [weak self, lastWaiter] in
            self?.waiters.removeValue(forKey: lastWaiter)?.completion(.late)
        }
        waiters[lastWaiter] = (timer, completion)
        guard !isUnderWay else { return }
        isUnderWay = true
        // Invariant of the unchecked capture: `lookup` is used only on the loop.
        nonisolated(unsafe) weak let lookup = self
        queue.async { [loop, resolve] in
            let found = resolve()
            loop.execute { lookup?.ended(found) }
        }
    }

    private func ended(_ found: [HostAddress]) {
        isUnderWay = false
        let answered = waiters
        waiters = [:]
        for (_, asker) in answered.sorted(by: { $0.key < $1.key }) {
            asker.timer.cancel()
            asker.completion(found.isEmpty ? .unknown : .found(found))
        }
    }
}
