import Catalog
@preconcurrency import Dispatch
import GalleryServer
import Glibc
import Logging

/// Runs a gallery from its start to the signal that ends it.
struct GalleryRun {
    let configuration: Gallery.Configuration
    let sources: [Source]

    /// How long a stop waits for what is being sent.
    private static let stopDeadline = Duration.seconds(8)

    /// Returns once the gallery has been stopped by SIGTERM or SIGINT.
    ///
    /// - Throws: what made the start impossible, in words for the person at the command line.
    func untilTold() async throws {
        ProcessLimits.prepare()
        let stop = StopSignal()
        let logger = Logger(label: "tessera")
        let gallery = try await Gallery.open(configuration, sources: sources, logger: logger)
        let address: String
        do {
            address = try await gallery.start()
        } catch {
            await gallery.stop(within: .zero)
            throw error
        }
        StandardStreams.print("Tessera is ready at \(address)")
        await stop.wait()
        logger.notice("Stopping; what is being sent is finished within \(Self.stopDeadline).")
        await gallery.stop(within: Self.stopDeadline)
    }
}

/// The first SIGTERM or SIGINT asks for a clean end; a second one ends the process at once.
private final class StopSignal: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                continuation.yield()
                signal(number, SIG_DFL)
            }
            source.activate()
            return source
        }
    }

    func wait() async {
        var iterator = signals.makeAsyncIterator()
        await iterator.next()
        withExtendedLifetime(sources) {}
    }
}
