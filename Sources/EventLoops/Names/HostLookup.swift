import Dispatch
import Glibc

/// Turns a server's name into addresses that can be connected to without waiting.
///
/// The C library's resolver blocks, for as long as its own limits say: it is asked on a queue of its own, once at a time,
/// and whoever asks meanwhile shares that answer. An address is told at once. On the loop only.
public final class HostLookup {
    public enum Answer: Hashable, Sendable {
        /// At least one.
        case found([HostAddress])
        case unknown
        /// There is none yet.
        case late
    }

    private let host: String
    private let port: UInt16
    private let loop: EventLoop
    private let resolve: @Sendable () -> [HostAddress]
    private let queue = DispatchQueue(label: "tessera.names")
    private var isUnderWay = false
    private var askers: [UInt64: (timer: LoopTimer, told: (Answer) -> Void)] = [:]
    private var lastAsker: UInt64 = 0

    /// - Parameter resolve: Looks a name up, and may block.
    public init(
        _ host: String, _ port: UInt16, loop: EventLoop,
        resolve: @escaping @Sendable (String, UInt16) -> [HostAddress]
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.resolve = { resolve(host, port) }
    }

    /// With the C library's resolver.
    public convenience init(_ host: String, _ port: UInt16, loop: EventLoop) {
        self.init(host, port, loop: loop) { HostAddress.resolve($0, $1, flags: AI_ADDRCONFIG) }
    }

    /// - Parameter told: Called once, on the loop.
    public func find(within time: Duration, told: @escaping (Answer) -> Void) {
        let numeric = HostAddress.resolve(host, port, flags: AI_NUMERICHOST)
        guard numeric.isEmpty else { return told(.found(numeric)) }
        lastAsker += 1
        let timer = loop.schedule(after: time) { [weak self, lastAsker] in
            self?.askers.removeValue(forKey: lastAsker)?.told(.late)
        }
        askers[lastAsker] = (timer, told)
        guard !isUnderWay else { return }
        isUnderWay = true
        // Invariant of the unchecked capture: it is touched on the loop only.
        nonisolated(unsafe) weak let lookup = self
        queue.async { [loop, resolve] in
            let found = resolve()
            loop.execute { lookup?.ended(found) }
        }
    }

    private func ended(_ found: [HostAddress]) {
        isUnderWay = false
        let answered = askers
        askers = [:]
        for (_, asker) in answered.sorted(by: { $0.key < $1.key }) {
            asker.timer.cancel()
            asker.told(found.isEmpty ? .unknown : .found(found))
        }
    }
}
