import Catalog
@preconcurrency import Dispatch
import GalleryServer
import Glibc
import HTTPServer
import Logging
import Origins
import RenderWorkers

/// Runs a gallery from its start to the signal that ends it.
struct GalleryRun {
    let configuration: Gallery.Configuration
    let sources: [Source]
    let workers: RenderPool
    /// Explicitly set limits of one client are left as they are.
    let named: NamedClientLimits

    /// How long a stop waits for pending responses.
    private static let stopDeadline = Duration.seconds(8)

    /// Runs until SIGTERM or SIGINT, and returns once the gallery has stopped. SIGUSR1 makes it rescan its sources.
    ///
    /// - Throws: The reason why the gallery could not start, in words for the user at the command line.
    func runUntilSignal() async throws {
        ProcessLimits.prepare()
        let stop = StopSignal()
        let logger = Logger(label: "tessera")
        for variable in Environment.misspelt { logger.warning("\(variable)") }
        let gallery = try await Gallery.open(
            withinLimits(logger), sources: sources, workers: workers, logger: logger)
        let address: String
        do {
            address = try await gallery.start()
        } catch {
            await gallery.stop(within: .zero)
            throw error
        }
        let rescan = SignalWatch(SIGUSR1) {
            logger.notice("Rescanning the sources.")
            gallery.rescan()
        }
        let housekeeping = MemoryTrimmer(isAtRest: { gallery.isAtRest }, release: { gallery.rest() })
        StandardStreams.print("Tessera is ready at \(address)")
        if let link = try await gallery.setUpLink(at: address) {
            StandardStreams.print("To make the owner's account, open \(link)")
        }
        await stop.wait()
        withExtendedLifetime((rescan, housekeeping)) {}
        logger.notice("Stopping; responses in progress may finish within \(Self.stopDeadline).")
        await gallery.stop(within: Self.stopDeadline)
        await workers.stop()
    }
}

extension GalleryRun {
    /// The configuration with connections and transfers limited to what the available descriptors allow.
    private func withinLimits(_ logger: Logger) -> Gallery.Configuration {
        guard let limit = ProcessLimits.descriptors else { return configuration }
        let budget = DescriptorBudget(
            limit: limit, connections: configuration.http.maximumConnections,
            transfers: configuration.origins.permits, workers: configuration.rendering.permits,
            loops: configuration.http.loopCount)
        var configuration = configuration
        configuration.origins.permits = budget.transfers
        guard budget.connections < configuration.http.maximumConnections else { return configuration }
        logger.notice(
            "Up to \(budget.connections) connections are accepted because the process may open \(limit) files (ulimit -n)."
        )
        configuration.http.maximumConnections = budget.connections
        // If the limits per client stayed the same, one client could take all connections.
        if !named.connections {
            configuration.http.maximumConnectionsPerClient = min(
                configuration.http.maximumConnectionsPerClient, budget.connectionsPerClient)
        }
        if !named.streams {
            configuration.maximumStreamsPerClient = min(
                configuration.maximumStreamsPerClient, budget.connectionsPerClient)
        }
        return configuration
    }
}

/// Which limits of one client were set explicitly.
struct NamedClientLimits {
    var connections = false
    var streams = false
}

/// The first SIGTERM or SIGINT requests a clean stop; a second one ends the process at once.
private final class StopSignal: Sendable {
    private let watches: [SignalWatch]
    private let signals: AsyncStream<Void>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        watches = [SIGTERM, SIGINT].map { number in
            SignalWatch(number) {
                continuation.yield()
                signal(number, SIG_DFL)
            }
        }
    }

    func wait() async {
        var iterator = signals.makeAsyncIterator()
        await iterator.next()
        withExtendedLifetime(watches) {}
    }
}

/// Calls `body` for each signal of this kind instead of its default action, for as long as the object lives.
private final class SignalWatch: Sendable {
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: body)
        source.activate()
    }

    deinit { source.cancel() }
}
