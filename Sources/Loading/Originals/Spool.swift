import Images
import Locking

/// The file that an origin's bytes are written to as they arrive, and what its readers need to know of it.
///
/// One writer (the fetch, on the spool lane) and any number of readers on other threads.
final class Spool: Sendable {
    enum End: Sendable {
        case whole
        case failed(LoadFailure)
    }

    private struct State: Sendable {
        var written: Int64 = 0
        var end: End?
        var wakes: [@Sendable () -> Void] = []
    }

    let declaredLength: Int64?
    let headVersion: ContentVersion?
    private let state = Guarded(State())
    private let sniffed = Guarded<String?>(nil)
    private let file: Guarded<OwnedDescriptor>

    init(descriptor: OwnedDescriptor, declaredLength: Int64?, headVersion: ContentVersion?) {
        file = Guarded(descriptor)
        self.declaredLength = declaredLength
        self.headVersion = headVersion
    }

    var descriptor: OwnedDescriptor { file.withLock { $0 } }

    /// Goes on in another file that has the same bytes so far.
    func move(to descriptor: OwnedDescriptor) { file.withLock { $0 = descriptor } }

    /// What the bytes are, by the first of them; set before the first reader is made.
    var mediaType: String? {
        get { sniffed.withLock { $0 } }
        set { sniffed.withLock { $0 = newValue } }
    }

    /// Bytes that can be read now.
    var written: Int64 { state.withLock { $0.written } }

    /// Writes the next bytes and wakes the readers that wait. Blocks.
    func append(_ bytes: [UInt8]) throws(DescriptorError) {
        try descriptor.write(bytes[...], at: written)
        wake { $0.written += Int64(bytes.count) }
    }

    func end(_ end: End) {
        wake { if $0.end == nil { $0.end = end } }
    }

    private func wake(after change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            change(&state)
            let wakes = state.wakes
            state.wakes = []
            return wakes
        }
        for wake in wakes { wake() }
    }

    /// What lies beyond `offset`: how many bytes, and the end if there are none to come.
    func look(from offset: Int64) -> (available: Int64, end: End?) {
        state.withLock { ($0.written - offset, $0.end) }
    }

    /// Calls `wake` once when there is more than `offset` bytes or an end; at once when there is already.
    func whenMore(than offset: Int64, _ wake: @escaping @Sendable () -> Void) {
        let isThere = state.withLock { state in
            if state.written > offset || state.end != nil { return true }
            state.wakes.append(wake)
            return false
        }
        if isThere { wake() }
    }
}
