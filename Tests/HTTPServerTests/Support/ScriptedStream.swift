import Locking
import Synchronization

@testable import HTTPServer

/// A body that produces what a test says, and records its calls.
final class ScriptedStream: BodyStream {
    private struct State {
        var script: [BodyPull]
        var wake: (@Sendable () -> Void)?
        var pulls = 0
        var given = 0
        var limits: [Int] = []
    }

    private let state: Guarded<State>
    /// Given once it has ended.
    let end = Signal<BodyEnd>()
    /// Given once it has been pulled with nothing to give.
    let isHungry = Signal<Void>()

    init(_ script: [BodyPull] = []) {
        state = Guarded(State(script: script))
    }

    var pulls: Int { state.withLock(\.pulls) }
    var givenBytes: Int { state.withLock(\.given) }
    var largestLimit: Int { state.withLock { $0.limits.max() ?? 0 } }

    func add(_ pull: BodyPull) {
        let wake = state.withLock { state in
            state.script.append(pull)
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }

    func add(_ text: String) { add(.bytes(Array(text.utf8))) }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        let result: BodyPull = state.withLock { state in
            state.pulls += 1
            state.limits.append(limit)
            guard !state.script.isEmpty else {
                state.wake = wake
                return .pending
            }
            let pull = state.script.removeFirst()
            if case .bytes(let bytes) = pull { state.given += bytes.count }
            return pull
        }
        if case .pending = result { isHungry.give() }
        return result
    }

    func ended(_ end: BodyEnd) { self.end.give(end) }
}

/// An endless body, as fast as it is pulled.
final class FloodStream: BodyStream {
    private let given = Atomic<Int>(0)
    let end = Signal<BodyEnd>()

    var givenBytes: Int { given.load(ordering: .relaxed) }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        given.wrappingAdd(limit, ordering: .relaxed)
        return .bytes([UInt8](repeating: 65, count: limit))
    }

    func ended(_ end: BodyEnd) { self.end.give(end) }
}

/// Responds with a closure.
struct Answering: Responder {
    let body: @Sendable (Request, Reply) -> Void

    init(_ body: @escaping @Sendable (Request, Reply) -> Void) { self.body = body }

    func respond(to request: Request, reply: Reply) { body(request, reply) }
}

/// Holds replies until a test sends them.
final class HeldReplies: Sendable {
    private let replies = Guarded<[String: Reply]>([:])
    private let arrivals: [String: Signal<Void>]

    init(_ paths: [String]) {
        arrivals = Dictionary(uniqueKeysWithValues: paths.map { ($0, Signal<Void>()) })
    }

    func hold(_ reply: Reply, for path: String) {
        replies.withLock { $0[path] = reply }
        arrivals[path]?.give()
    }

    /// Waits for the request of a path, and takes its reply.
    func take(_ path: String) async -> Reply? {
        await arrivals[path]?.value
        return replies.withLock { $0.removeValue(forKey: path) }
    }
}
