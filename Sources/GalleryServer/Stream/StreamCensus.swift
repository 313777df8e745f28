import Clients
import Locking

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
        /// What is not a preview, of whatever size.
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

    private struct State {
        var figures = Figures()
        var held = Tally<Client>()
    }

    private let limit: Int
    private let limitPerClient: Int
    private let state = Guarded(State())

    /// - Parameters:
    ///   - limit: how many streams there may be at once.
    ///   - limitPerClient: how many of them one client may have.
    init(limit: Int, perClient limitPerClient: Int = .max) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    var figures: Figures { state.withLock(\.figures) }

    /// Whether there is room for one more stream of a client. If so it is counted, until ``ends(_:)``.
    func begins(_ client: Client) -> Bool {
        state.withLock { state in
            guard state.figures.open < limit, state.held.take(for: client, upTo: limitPerClient) else {
                state.figures.refused += 1
                return false
            }
            state.figures.open += 1
            state.figures.begun += 1
            return true
        }
    }

    /// Counts a viewport of one of the client's streams.
    ///
    /// - Returns: how many streams the client has.
    func viewport(of client: Client) -> Int {
        state.withLock { state in
            state.figures.viewports += 1
            return state.held[client]
        }
    }

    func ends(_ client: Client) {
        state.withLock { state in
            state.figures.open -= 1
            state.held.giveBack(by: client)
        }
    }

    func count(_ change: (inout Figures) -> Void) { state.withLock { change(&$0.figures) } }

    /// - Parameter isWhole: With this message all of the rendition was sent.
    func sent(_ rendition: StreamRendition, bytes: Int, isProblem: Bool, isWhole: Bool) {
        let one = isWhole ? 1 : 0
        count { figures in
            switch rendition {
            case _ where isProblem: figures.problems += 1
            case .preview:
                figures.previews += one
                figures.previewBytes += bytes
            default:
                figures.tiles += one
                figures.tileBytes += bytes
            }
        }
    }
}
