import EventLoops
import Locking
import Logging
import Scheduling

/// Fetches from origins over HTTP/1.1 and HTTP/2. All transfers run on one event loop.
///
///     let fetcher = try OriginFetcher(configuration: Configuration(), logger: logger)
///     let fetch = fetcher.fetch(OriginRequest(url: "https://example.org/cat.jpg"), priority: priority) { event in
///         ...
///     }
///     fetch.cancel()
public final class OriginFetcher: OriginFetching {
    let engine: FetchEngine

    /// - Throws: ``Configuration/Invalid``, or an error of the event loop if the process has no descriptors left.
    public init(configuration: Configuration, logger: Logger) throws {
        try configuration.validate()
        engine = try FetchEngine(
            configuration, loop: EventLoop(label: "tessera.origins"),
            filter: AddressFilter(allowing: configuration.addressRanges()), logger: logger)
    }

    deinit {
        engine.loop.execute { [engine] in engine.shutDown() }
    }

    public func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch {
        let ticket = FetchTicket(engine)
        engine.loop.execute { [engine] in
            engine.admit(request, priority: priority, ticket: ticket, events: events)
        }
        return ticket
    }

    /// Counters since the start, and current values. Callable on any thread; costs next to nothing.
    public var statistics: OriginStatistics { engine.tally.withLock { $0 } }

    /// Fails all fetches with the reason `.stopped`, closes all connections, and returns when that is done. Later
    /// fetches fail the same way.
    public func shutDown() async {
        await withCheckedContinuation { continuation in
            engine.loop.execute { [engine] in
                engine.shutDown()
                continuation.resume()
            }
        }
    }
}

extension OriginFetcher: OriginSharing {
    public func share(among nodes: Int) {
        engine.loop.execute { [engine] in engine.share(among: nodes) }
    }

    public func reportRefusals(to report: @escaping @Sendable (OriginRefusal) -> Void) {
        engine.loop.execute { [engine] in engine.reportRefusal = report }
    }

    public func received(_ refusal: OriginRefusal) {
        engine.loop.execute { [engine] in engine.received(refusal) }
    }
}
