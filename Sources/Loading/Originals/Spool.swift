import Images
import Locking

/// The file that an origin's bytes are written to as they arrive, with the state that its readers need.
///
/// One writer (the fetch, on the spooling pool) and any number of readers on other threads.
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

    /// Continues in another file that already contains the same bytes.
    func move(to descriptor: OwnedDescriptor) { file.withLock { $0 = descriptor } }

    /// The media type from the first bytes. Set before the first reader is created.
    var mediaType: String? {
        get { sniffed.withLock { $0 } }
        set { sniffed.withLock { $0 = newValue } }
    }

    /// Bytes that can be read now.
    var written: Int64 { state.withLock { $0.written } }

    /// Writes the next bytes and wakes the waiting readers. Blocks.
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

    /// How many bytes are available after `offset`, and how the spool ended, if it has.
    func status(from offset: Int64) -> (available: Int64, end: End?) {
        state.withLock { ($0.written - offset, $0.end) }
    }

    /// Calls `wake` once, as soon as there are bytes after `offset` or the spool has ended; at once if that is already
    /// the case.
    func whenMore(than offset: Int64, _ wake: @escaping @Sendable () -> Void) {
        let isThere = state.withLock { state in
            if state.written > offset || state.end != nil { return true }
            state.wakes.append(wake)
            return false
        }
        if isThere { wake() }
    }
}
