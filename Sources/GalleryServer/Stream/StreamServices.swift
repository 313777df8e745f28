import Catalog
import HTTPServer
import Images
import Loading
import Renditions
import Time

/// The services that all streams share.
struct StreamServices: Sendable {
    var catalog: any StreamCatalog
    var loader: any RenditionLoading
    var tokens: TokenRegistry
    var limiter: StreamLimiter
    /// Translates the ids in messages.
    var ids = ImageIDCipher.none
    /// Where orders are built, in turn with the client's other requests.
    var workQueue: FairWorkQueue
    var pace = ViewportRateLimiter()
    /// Nil in a gallery without accounts.
    var accountStreams: AccountStreams?
    var time: any TimeKeeping = SystemTime()

    /// Seconds of the monotonic clock.
    var now: Double { time.uptime().inSeconds }
}

/// The part of the catalog that a stream uses.
protocol StreamCatalog: Sendable {
    /// Of the plain view. Callable from any thread; never blocks.
    var revisionAndTotal: (revision: UInt64, total: Int) { get }
    /// Whether the view's order need not be built. Callable from any thread; never blocks.
    func hasOrder(of view: View) -> Bool
    /// Of one view; waits until its order has been built.
    func revisionAndTotal(of view: View) async throws -> (revision: UInt64, total: Int)
    func page(offset: Int, limit: Int, of view: View, for purpose: ReadingPurpose) async throws -> Page
}

extension Catalog: StreamCatalog {
    var revisionAndTotal: (revision: UInt64, total: Int) { count }

    func revisionAndTotal(of view: View) async throws -> (revision: UInt64, total: Int) {
        let order = try await order(of: view)
        return (order.revision, order.count)
    }
}

/// The formats in which one stream's renditions are encoded.
struct StreamFormats: Hashable, Sendable {
    private let preview: OutputFormat
    private let tile: OutputFormat
    private let screen: OutputFormat

    /// - Parameter accept: the value of an `Accept` header (RFC 9110 §12.5.1).
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
