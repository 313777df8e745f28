import Addresses
import Images
import Renditions
import Tracing

/// The tracing spans of one load: one for the whole load, shared by its waiters, and a child span for each step.
struct LoadTrace: Sendable {
    /// The steps of a load, as shown to a person who investigates where the time goes.
    enum Step: String {
        /// Looking into this machine's caches.
        case find
        /// Looking for the rendition on other nodes, or waiting for the node that makes it.
        case share
        /// Waiting for the original from its origin.
        case fetch
        /// Opening the original.
        case prepare
        /// Waiting for a render worker and rendering.
        case render
    }

    private let tracer: any Tracer
    private let load: any Span
    private var step: (any Span)?
    /// The URL of a remote original.
    private let url: String?

    /// - Parameter cause: The span of the first waiter.
    init(of request: LoadRequest, cause: ServiceContext?, tracer: any Tracer) {
        self.tracer = tracer
        url = request.image.location.fetched?.url
        load = tracer.startSpan("load \(request.rendition.rawValue)", context: cause ?? .topLevel)
        guard load.isRecording else { return }
        load.updateAttributes { attributes in
            attributes["tessera.image"] = "\(request.image.id)"
            attributes["tessera.rendition"] = request.rendition.rawValue
            if !request.rendition.isFile { attributes["tessera.format"] = "\(request.format)" }
        }
    }

    mutating func enter(_ next: Step) {
        guard load.isRecording else { return }
        step?.end()
        step = tracer.startSpan(next.rawValue, context: load.context)
        if next == .fetch, let url, let origin = try? ServerURL(String(url.prefix { $0 != "#" })) {
            step?.attributes["server.address"] = origin.host
        }
    }

    /// Another waiter joined: links the load to its span.
    func joined(by cause: ServiceContext) {
        load.addLink(SpanLink(context: cause, attributes: [:]))
    }

    enum Outcome {
        case answered
        case failed(LoadFailure)
        /// Nobody waited any more.
        case abandoned
    }

    func end(_ outcome: Outcome) {
        step?.end()
        switch outcome {
        case .answered: break
        case .failed(let failure):
            load.attributes["error.type"] = "\(failure.status)"
            load.setStatus(SpanStatus(code: .error, message: failure.publicMessage))
        case .abandoned: load.attributes["tessera.abandoned"] = true
        }
        load.end()
    }
}
