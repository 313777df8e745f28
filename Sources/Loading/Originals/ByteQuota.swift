import Locking

/// A limit for the bytes that several files use together.
final class ByteQuota: Sendable {
    let budget: Int64
    private let taken = Guarded<Int64>(0)

    init(budget: Int64) {
        self.budget = budget
    }

    /// Bytes in use now.
    var used: Int64 { taken.withLock { $0 } }

    func share() -> Share { Share(of: self) }

    private func take(_ bytes: Int64) -> Bool {
        taken.withLock { taken in
            guard bytes <= budget - taken else { return false }
            taken += bytes
            return true
        }
    }

    private func release(_ bytes: Int64) { taken.withLock { $0 -= bytes } }

    /// The bytes of one file. They are returned when the last reference to the share is released.
    final class Share: Sendable {
        private let quota: ByteQuota
        private let held = Guarded<Int64>(0)

        fileprivate init(of quota: ByteQuota) {
            self.quota = quota
        }

        deinit { quota.release(held.withLock { $0 }) }

        /// Grows the share to at least `size` bytes. Returns false, and changes nothing, if the quota does not have
        /// enough left.
        func grow(to size: Int64) -> Bool {
            held.withLock { held in
                guard size > held else { return true }
                guard quota.take(size - held) else { return false }
                held = size
                return true
            }
        }
    }
}
