import HTTPServer
import Loading
import Logging

/// The body of an original that is still arriving from its origin.
final class PartialOriginalBody: BodyStream {
    private let original: PartialOriginal

    init(_ original: PartialOriginal) {
        self.original = original
    }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        switch original.pull(upTo: limit, wake: wake) {
        case .bytes(let bytes): .bytes(bytes)
        case .pending: .pending
        case .finished: .finished
        case .failed: .aborted
        }
    }

    func ended(_ end: BodyEnd) {
        original.close()
    }
}
