import EventLoops
import Locking
import Logging
import Scheduling

/// Fetches from origins over HTTP/1.1 and HTTP/2, all transfers on one event loop of its own.
///
///     let fetcher = try OriginFetcher(configuration: Configuration(), logger: logger)
///     let fetch = fetcher.fetch(OriginRequest(url: "https://example.org/cat.jpg"), priority: priority) { event in
///         ...
///     }
///     fetch.cancel()
public final class OriginFetcher: OriginFetching {
    let engine: FetchEngine

    /// Throws ``Configuration/Invalid``, or an error of the loop when the process has no descriptors left.
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

    /// What has been done until now. From any thread; costs next to nothing.
    public var statistics: OriginStatistics { engine.tally.withLock { $0 } }

    /// Fails all fetches with the reason `.stopped`, closes all connections, and returns when that is done. Fetches
    /// that come later fail the same way.
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

    public func tellRefusals(to hear: @escaping @Sendable (OriginRefusal) -> Void) {
        engine.loop.execute { [engine] in engine.tellRefusal = hear }
    }

    public func heard(_ refusal: OriginRefusal) {
        engine.loop.execute { [engine] in engine.heard(refusal) }
    }
}
