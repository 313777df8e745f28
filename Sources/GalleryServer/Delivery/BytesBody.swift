import HTTPServer
import Locking

/// Bytes in memory as a stream, so that a wrapping stream can stop between two pieces.
final class BytesBody: BodyStream {
    private let bytes: [UInt8]
    private let position = Guarded(0)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var heldBytes: Int { bytes.count }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        position.withLock { position in
            guard position < bytes.count else { return .finished }
            let piece = Array(bytes[position..<min(bytes.count, position + limit)])
            position += piece.count
            return .bytes(piece)
        }
    }

    func ended(_ end: BodyEnd) {}
}
