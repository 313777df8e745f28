import Encodings
import Locking

/// The paths of all folders that contain images, numbered in the order in which they were first seen. Only grows.
final class FolderTable: Sendable {
    private struct State {
        var paths: [String] = []
        var numbers: [ExactText: UInt32] = [:]
        /// Folded for searching.
        var folded: [[UInt8]] = []
    }

    private let state = Guarded(State())

    func number(of path: String) -> UInt32 {
        state.withLock { state in
            if let number = state.numbers[ExactText(path)] { return number }
            let number = UInt32(state.paths.count)
            state.paths.append(path)
            state.numbers[ExactText(path)] = number
            state.folded.append(Folding.fold(path))
            return number
        }
    }

    var paths: [String] { state.withLock(\.paths) }
    var folded: [[UInt8]] { state.withLock(\.folded) }
}
