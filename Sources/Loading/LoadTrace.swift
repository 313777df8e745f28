import Addresses
import Images
import Renditions
import Tracing

/// The spans of one load: one for all of it, whoever waits, and beneath it one for each step that it was at.
struct LoadTrace: Sendable {
    /// Where a load is, as somebody sees it who looks for where the time has gone.
    enum Step: String {
        /// Looking into this machine's caches.
        case find
        /// Looking for it on other machines, or waiting for one that makes it.
        case share
        /// Waiting for the original from its origin.
        case fetch
        /// Opening the original.
        case prepare
        /// In line for a render worker, and at it.
        case render
    }

    private let tracer: any Tracer
    private let load: any Span
    private var step: (any Span)?
    /// Of the original, where an origin has it.
    private let url: String?

    /// - Parameter cause: What the first who waits belongs to.
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

    /// Another waits for the same: the load is linked to what that one belongs to.
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
