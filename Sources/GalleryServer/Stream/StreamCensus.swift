import Synchronization

/// What all streams have done, counted.
final class StreamCensus: Sendable {
    struct Figures: Hashable, Sendable {
        var open = 0
        var begun = 0
        var refused = 0
        var viewports = 0
        var texts = 0
        var textBytes = 0
        var previews = 0
        var previewBytes = 0
        var tiles = 0
        var tileBytes = 0
        var problems = 0
        /// Tokens that ended before anything was sent for them.
        var cancelledUnsent = 0

        /// By the names under which the status tells of them; all but `open` only grow.
        var named: [String: Int] {
            [
                "open": open, "begun": begun, "refused": refused, "viewports": viewports, "texts": texts,
                "textBytes": textBytes, "previews": previews, "previewBytes": previewBytes, "tiles": tiles,
                "tileBytes": tileBytes, "problems": problems, "cancelledUnsent": cancelledUnsent,
            ]
        }
    }

    private let limit: Int
    private let counted = Mutex(Figures())

    /// - Parameter limit: how many streams there may be at once.
    init(limit: Int) { self.limit = limit }

    var figures: Figures { counted.withLock(\.self) }

    /// Whether there is room for one more stream. If so it is counted, until ``ends()``.
    func begins() -> Bool {
        counted.withLock { figures in
            guard figures.open < limit else {
                figures.refused += 1
                return false
            }
            figures.open += 1
            figures.begun += 1
            return true
        }
    }

    func ends() { counted.withLock { $0.open -= 1 } }

    func count(_ change: (inout Figures) -> Void) { counted.withLock { change(&$0) } }

    func sent(_ rendition: StreamRendition, bytes: Int, isProblem: Bool) {
        counted.withLock { figures in
            switch rendition {
            case _ where isProblem: figures.problems += 1
            case .preview:
                figures.previews += 1
                figures.previewBytes += bytes
            case .tile:
                figures.tiles += 1
                figures.tileBytes += bytes
            }
        }
    }
}
