import Clients
import Locking
import Metrics

/// Limits how many streams may be open, and counts what all streams have done.
final class StreamLimiter: Sendable {
    struct Statistics: Hashable, Sendable, MetricsReporting {
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
        var cancelledUnsent = 0

        static let metrics: [Metric<Statistics>] = [
            .gauge("open", "Open streams.", \.open),
            .counter("begun", "Streams opened.", \.begun),
            .counter("refused", "Streams refused because there were too many.", \.refused),
            .counter("viewports", "Viewports received.", \.viewports),
            .counter("texts", "Text messages sent.", \.texts),
            .counter("textBytes", "Bytes of text messages sent.", \.textBytes),
            .counter("previews", "Previews sent whole.", \.previews),
            .counter("previewBytes", "Bytes sent of previews.", \.previewBytes),
            .counter("tiles", "Renditions other than previews sent whole.", \.tiles),
            .counter("tileBytes", "Bytes sent of renditions other than previews.", \.tileBytes),
            .counter("problems", "Problems sent in place of a rendition.", \.problems),
            .counter(
                "cancelledUnsent", "Tokens cancelled before anything was sent for them: what scrolling on has saved.",
                \.cancelledUnsent),
        ]
    }

    private struct State {
        var figures = Statistics()
        var held = Tally<Client>()
    }

    private let limit: Int
    private let limitPerClient: Int
    private let state = Guarded(State())

    /// - Parameters:
    ///   - limit: the most streams open at once.
    ///   - limitPerClient: the most of them that one client may hold.
    init(limit: Int, perClient limitPerClient: Int = .max) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    var figures: Statistics { state.withLock(\.figures) }

    /// Opens a stream of a client unless a limit is reached. The stream counts until ``release(_:)``.
    ///
    /// - Returns: False if the stream is refused.
    func admit(_ client: Client) -> Bool {
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
    /// - Returns: the number of the client's open streams.
    func countViewport(of client: Client) -> Int {
        state.withLock { state in
            state.figures.viewports += 1
            return state.held[client]
        }
    }

    func release(_ client: Client) {
        state.withLock { state in
            state.figures.open -= 1
            state.held.giveBack(by: client)
        }
    }

    func count(_ change: (inout Statistics) -> Void) { state.withLock { change(&$0.figures) } }

    /// - Parameter isWhole: This message completes the rendition.
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
