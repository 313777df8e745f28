import Dispatch
import HTTPServer
import Synchronization

/// A body that reports its end to the ledger. It can be cut short, or throttled to a rate.
final class AccountedStream: BodyStream {
    private struct State {
        var sent = 0
        var began: ContinuousClock.Instant?
    }

    private let bytes: [UInt8]
    /// The connection is cut after this many bytes; nil to send all of them.
    private let cut: Int?
    /// Bytes per second; nil for no limit.
    private let rate: Double?
    private let record: RequestRecord
    private let state = Mutex(State())

    /// Wakes throttled streams; nothing on it blocks.
    private static let clock = DispatchQueue(label: "tessera.demo.drip")
    private static let dripInterval = 0.02

    init(_ bytes: [UInt8], cut: Int? = nil, rate: Double? = nil, record: RequestRecord) {
        self.bytes = bytes
        self.cut = cut
        self.rate = rate
        self.record = record
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

    /// The number of bytes that may have been sent by now.
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
        case .complete: record.leave()
        case .disconnected: record.leave { $0.aborted += 1 }
        // Cut by this stream if that was intended; otherwise by the server, because the client was too slow.
        case .aborted: record.leave { $0.aborted += cut == nil ? 1 : 0 }
        }
    }
}
