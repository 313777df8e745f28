import Catalog
import HTTPServer
import Images
import Loading
import Renditions

/// What every stream uses.
struct StreamServices: Sendable {
    var catalog: any StreamCatalog
    var loader: any RenditionLoading
    var tokens: TokenBook
    var census: StreamCensus
    var pace = ViewportPace()
    var time: any TimeKeeping = SystemTime()
    /// A new viewport cancels nothing and re-orders nothing: for the benchmark of what cancelling saves.
    var keepsCancelled = false

    /// Seconds of the monotonic clock.
    var now: Double { time.uptime().inSeconds }
}

extension Duration {
    /// Seconds, with their fraction.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

/// What a stream asks of the catalog.
protocol StreamCatalog: Sendable {
    /// Any thread, never waits.
    var standing: (revision: UInt64, total: Int) { get }
    /// The same of a view.
    func standing(of view: View) async throws -> (revision: UInt64, total: Int)
    func page(offset: Int, limit: Int, of view: View, for purpose: ReadingPurpose) async throws -> Page
}

extension Catalog: StreamCatalog {
    var standing: (revision: UInt64, total: Int) { count }

    func standing(of view: View) async throws -> (revision: UInt64, total: Int) {
        let order = try await order(of: view)
        return (order.revision, order.count)
    }
}

/// How the renditions of one stream are encoded.
struct StreamFormats: Hashable, Sendable {
    private let preview: OutputFormat
    private let tile: OutputFormat
    private let screen: OutputFormat

    /// - Parameter accept: what an `Accept` header says (RFC 9110 §12.5.1).
    init(accept: String?) {
        preview = OutputFormat.negotiate(accept: accept, for: .preview)
        tile = OutputFormat.negotiate(accept: accept, for: .tile)
        screen = OutputFormat.negotiate(accept: accept, for: .screen)
    }

    subscript(_ rendition: StreamRendition) -> OutputFormat {
        if rendition == .preview { return preview }
        return rendition.rendition.isForScreens ? screen : tile
    }
}
