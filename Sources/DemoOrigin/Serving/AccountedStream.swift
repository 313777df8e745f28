import Dispatch
import HTTPServer
import Synchronization

/// A body that tells the ledger how it ended; cut or dripped if it is meant to be.
final class AccountedStream: BodyStream {
    private struct State {
        var sent = 0
        var began: ContinuousClock.Instant?
    }

    private let bytes: [UInt8]
    /// The connection is cut after so many bytes.
    private let cut: Int?
    /// Bytes a second; nil for as fast as can be.
    private let rate: Double?
    private let visit: Visit
    private let state = Mutex(State())

    /// Wakes the streams that drip; nothing on it blocks.
    private static let clock = DispatchQueue(label: "tessera.demo.drip")
    private static let dripInterval = 0.02

    init(_ bytes: [UInt8], cut: Int? = nil, rate: Double? = nil, visit: Visit) {
        self.bytes = bytes
        self.cut = cut
        self.rate = rate
        self.visit = visit
    }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        state.withLock { state in
            let end = min(cut ?? bytes.count, bytes.count)
            guard state.sent < end else { return cut == nil ? .finished : .aborted }
            let upTo = min(state.sent + min(limit, bytes.count), end, due(&state))
            guard upTo > state.sent else {
                AccountedStream.clock.asyncAfter(deadline: .now() + AccountedStream.dripInterval, execute: wake)
                return .pending
            }
            defer { state.sent = upTo }
            return .bytes(Array(bytes[state.sent..<upTo]))
        }
    }

    /// How many bytes may have been sent by now.
    private func due(_ state: inout State) -> Int {
        guard let rate else { return .max }
        let now = ContinuousClock.now
        let began = state.began ?? now
        state.began = began
        let elapsed = began.duration(to: now) / .seconds(1)
        return Int(min(rate * (elapsed + AccountedStream.dripInterval), Double(bytes.count)))
    }

    func ended(_ end: BodyEnd) {
        switch end {
        case .complete: visit.leave()
        case .disconnected: visit.leave { $0.aborted += 1 }
        // Cut by us, if that was meant to be; by the server, if the client was too slow.
        case .aborted: visit.leave { $0.aborted += cut == nil ? 1 : 0 }
        }
    }
}
