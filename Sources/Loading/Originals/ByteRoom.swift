import Locking

/// Bytes that several may have together, and no more.
final class ByteRoom: Sendable {
    let budget: Int64
    private let taken = Guarded<Int64>(0)

    init(budget: Int64) {
        self.budget = budget
    }

    /// Bytes that are had now.
    var used: Int64 { taken.withLock { $0 } }

    func share() -> Share { Share(of: self) }

    private func take(_ bytes: Int64) -> Bool {
        taken.withLock { taken in
            guard bytes <= budget - taken else { return false }
            taken += bytes
            return true
        }
    }

    private func give(_ bytes: Int64) { taken.withLock { $0 -= bytes } }

    /// What one of them has. It is given back when the last holder lets go of it.
    final class Share: Sendable {
        private let room: ByteRoom
        private let held = Guarded<Int64>(0)

        fileprivate init(of room: ByteRoom) {
            self.room = room
        }

        deinit { room.give(held.withLock { $0 }) }

        /// Has `size` bytes from now on, or more. False if there are not that many left: then it has what it had.
        func reach(_ size: Int64) -> Bool {
            held.withLock { held in
                guard size > held else { return true }
                guard room.take(size - held) else { return false }
                held = size
                return true
            }
        }
    }
}
