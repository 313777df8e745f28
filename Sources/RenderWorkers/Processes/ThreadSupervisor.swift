import EventLoops
import Glibc
import Sandbox

/// Bounds the number of a worker's threads: a decoder that was taken over could make thousands, each of which takes
/// kernel memory and one of the processes that the machine, or the container, can have. Used on the loop only.
final class ThreadSupervisor: EventHandler {
    private let requests: Sandbox.ThreadRequests
    private let limit: Int
    private let loop: EventLoop
    private let onBreach: (String) -> Void

    /// Takes over the descriptors of `requests`. Throws `LoopError`.
    ///
    /// - Parameter onBreach: Called with the reason when the worker should be ended.
    init(
        _ requests: Sandbox.ThreadRequests, limit: Int, on loop: EventLoop,
        onBreach: @escaping (String) -> Void
    ) throws {
        self.requests = requests
        self.limit = limit
        self.loop = loop
        self.onBreach = onBreach
        do {
            try loop.watch(requests.listener, for: .read, handler: self)
        } catch {
            requests.close()
            throw error
        }
    }

    func end() {
        loop.unwatch(requests.listener)
        requests.close()
    }

    func descriptorIsReady(_ events: Readiness) {
        // The worker has ended, which its process reports as well.
        guard events.contains(.readable) else { return loop.unwatch(requests.listener) }
        switch requests.answer(limit: limit) {
        case .granted: break
        case .refused: onBreach("it wants more than \(limit) threads")
        case .failed(let code): onBreach("its threads: \(String(cString: strerror(code)))")
        }
    }
}
