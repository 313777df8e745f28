import Addresses
import Clients
import EventLoops
import Images
import Loading
import Locking
import Scheduling
import TestSupport

@testable import Catalog
@testable import GalleryServer
@testable import HTTPServer

/// One stream with a loader, a catalog and a clock that do as the test says, and with a client that reads what it is sent.
final class StreamHouse: Sendable {
    /// What a client reads out of a binary message.
    struct Frame: Equatable {
        let token: [UInt8]
        let kind: UInt8
        let status: UInt8
        let format: UInt8
        let flags: UInt8
        let version: UInt64
        let body: [UInt8]
    }

    enum Heard {
        case text(String)
        case frame(Frame)
    }

    let loader = HeldLoader()
    let catalog: NumberedCatalog
    let time = HeldTime()
    let tokens: TokenBook
    let census: StreamCensus
    let pace = ViewportPace()
    let session: StreamSession
    let loop: EventLoop
    private let socket: WebSocket

    init(total: Int = 1_000, maximumStreams: Int = 10) throws {
        catalog = NumberedCatalog(total: total)
        tokens = TokenBook(loader: loader, time: time)
        census = StreamCensus(limit: maximumStreams)
        loop = try EventLoop(label: "test")
        socket = WebSocket(loop: loop, peer: SocketAddress(ip: .v4(0x7F00_0001), port: 9), subprotocol: "tessera.v1")
        let services = StreamServices(
            catalog: catalog, loader: loader, tokens: tokens, census: census, pace: pace, time: time)
        session = StreamSession(
            services: services, client: Client(.v4(0x7F00_0001)), formats: StreamFormats(accept: "image/webp"))
    }

    func open() async { await onLoop { $0.session.opened($0.socket) } }

    func say(_ messages: String...) async {
        await onLoop { house in for message in messages { house.session.received(.text(message)) } }
    }

    func end() async {
        await onLoop { $0.session.ended(.disconnected) }
        await loop.stop()
    }

    /// What the socket takes now, until there is nothing.
    func hear(atMost limit: Int = .max) async -> [Heard] { await onLoop { $0.pull(atMost: limit) } }

    /// On the loop.
    func pull(atMost limit: Int = .max) -> [Heard] {
        var heard: [Heard] = []
        while heard.count < limit, let message = session.nextMessage() {
            switch message {
            case .text(let text): heard.append(.text(text))
            case .binary(let head, let body):
                heard.append(
                    .frame(
                        Frame(
                            token: Array(head[..<16]), kind: head[16], status: head[17], format: head[18],
                            flags: head[19], version: head[20...].reduce(0) { $0 << 8 | UInt64($1) }, body: body)))
            }
        }
        return heard
    }

    /// What comes until `isEnough`; ten seconds at the most.
    func hear(until isEnough: ([Heard]) -> Bool) async -> [Heard] {
        var all: [Heard] = []
        let deadline = ContinuousClock.now + .seconds(10)
        while !isEnough(all), ContinuousClock.now < deadline {
            all += await hear()
            if !isEnough(all) { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return all
    }

    func onLoop<Result: Sendable>(_ body: @escaping @Sendable (StreamHouse) -> Result) async -> Result {
        await withCheckedContinuation { done in loop.execute { done.resume(returning: body(self)) } }
    }
}

extension [StreamHouse.Heard] {
    var frames: [StreamHouse.Frame] {
        compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }

    var texts: [String] {
        compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}

/// A clock that stands still until it is told to go.
final class HeldTime: TimeKeeping {
    private let passed = Guarded(Duration.seconds(1_000))

    func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
    func uptime() -> Duration { passed.withLock { $0 } }
    func secondsSince1970() -> Int64 { 1_700_000_000 }
}

/// A catalog of numbered images.
final class NumberedCatalog: StreamCatalog {
    private let state: Guarded<(revision: UInt64, total: Int)>

    init(total: Int) { state = Guarded((1, total)) }

    var standing: (revision: UInt64, total: Int) { state.withLock { $0 } }

    func change(total: Int) { state.withLock { $0 = ($0.revision + 1, total) } }

    /// Of a view: as many as its seed says, in the revision 7.
    func standing(of view: View) async throws -> (revision: UInt64, total: Int) {
        guard case .shuffle(let seed) = view.sort else { return standing }
        return (7, Int(seed))
    }

    func page(offset: Int, limit: Int, of view: View, for purpose: ReadingPurpose) async throws -> Page {
        let (revision, total) = try await standing(of: view)
        let range = (offset..<offset + limit).clamped(to: 0..<total)
        return Page(
            view: view, revision: revision, total: total, offset: offset, images: range.map { PlanHouse.image($0) },
            next: nil)
    }
}

/// A loader that has in memory what the test put there, and otherwise waits for it.
final class HeldLoader: RenditionLoading {
    final class Load: LoadHandle {
        let request: LoadRequest
        let deliver: @Sendable (Result<LoadedContent, LoadFailure>) -> Void
        private let state: Guarded<(isCancelled: Bool, priority: Priority)>

        init(
            _ request: LoadRequest, _ priority: Priority,
            _ deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
        ) {
            self.request = request
            self.deliver = deliver
            state = Guarded((false, priority))
        }

        var isCancelled: Bool { state.withLock { $0.isCancelled } }
        var priority: Priority { state.withLock { $0.priority } }
        func cancel() { state.withLock { $0.isCancelled = true } }
        func reprioritise(_ priority: Priority) { state.withLock { $0.priority = priority } }

        func succeed() {
            let rendition: StreamRendition = request.rendition == .preview ? .preview : .tile
            deliver(.success(.bytes(PlanHouse.rendition(rendition, bytes: 100))))
        }
    }

    private let begun = Guarded<[Load]>([])
    private let isInMemory = Guarded(false)
    private let silence = Guarded<Duration?>(nil)

    var loads: [Load] { begun.withLock { $0 } }

    func holdEverything() { isInMemory.withLock { $0 = true } }

    /// Every origin has been silent for so long.
    func keepSilent(for duration: Duration?) { silence.withLock { $0 = duration } }

    func originSilence(of image: ImageID) -> Duration? { silence.withLock { $0 } }

    func cached(_ request: LoadRequest) -> RenditionBytes? {
        guard isInMemory.withLock(\.self) else { return nil }
        return PlanHouse.rendition(request.rendition == .preview ? .preview : .tile, bytes: 100)
    }

    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> any LoadHandle {
        let load = Load(request, priority, deliver)
        begun.withLock { $0.append(load) }
        return load
    }
}
