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
    /// What a person has said of one client is left as it is.
    let named: NamedClientLimits

    /// How long a stop waits for what is being sent.
    private static let stopDeadline = Duration.seconds(8)

    /// Returns once the gallery has been stopped by SIGTERM or SIGINT. SIGUSR1 has it read its sources again.
    ///
    /// - Throws: what made the start impossible, in words for the person at the command line.
    func untilTold() async throws {
        ProcessLimits.prepare()
        let stop = StopSignal()
        let logger = Logger(label: "tessera")
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
            logger.notice("Reading the sources again.")
            gallery.rescan()
        }
        let housekeeping = Housekeeping(isAtRest: { gallery.isAtRest }, letGo: { gallery.rest() })
        StandardStreams.print("Tessera is ready at \(address)")
        await stop.wait()
        withExtendedLifetime((rescan, housekeeping)) {}
        logger.notice("Stopping; what is being sent is finished within \(Self.stopDeadline).")
        await gallery.stop(within: Self.stopDeadline)
        await workers.stop()
    }
}

extension GalleryRun {
    /// The configuration with no more connections and transfers than there are descriptors for.
    private func withinLimits(_ logger: Logger) -> Gallery.Configuration {
        guard let limit = ProcessLimits.descriptors else { return configuration }
        let budget = DescriptorBudget(
            limit: limit, connections: configuration.http.maximumConnections,
            transfers: configuration.origins.places, workers: configuration.rendering.places,
            loops: configuration.http.loopCount)
        var configuration = configuration
        configuration.origins.places = budget.transfers
        guard budget.connections < configuration.http.maximumConnections else { return configuration }
        logger.notice(
            "Up to \(budget.connections) connections are taken, for the process may open \(limit) files (ulimit -n).")
        configuration.http.maximumConnections = budget.connections
        // With the bounds of one client as they were, one alone could have all connections.
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

/// Which bounds of one client a person has named.
struct NamedClientLimits {
    var connections = false
    var streams = false
}

/// The first SIGTERM or SIGINT asks for a clean end; a second one ends the process at once.
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

/// Calls `body` each time the process is sent a signal, instead of what the signal would do, for as long as it lives.
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
