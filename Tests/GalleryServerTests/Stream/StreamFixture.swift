import Addresses
import Clients
import EventLoops
import Images
import Loading
import Locking
import Scheduling
import TestSupport
import Synchronization

@testable import Catalog
@testable import GalleryServer
@testable import HTTPServer

/// One stream whose loader, catalog and clock are controlled by the test, and a client that decodes its messages.
final class StreamFixture: Sendable {
    /// A binary message, decoded.
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
    let tokens: TokenRegistry
    let limiter: StreamLimiter
    let pace = ViewportRateLimiter()
    let session: StreamSession
    let loop: EventLoop
    private let socket: WebSocket
    let workQueue: FairWorkQueue

    init(
        total: Int = 1_000, maximumStreams: Int = 10, _ change: (inout StreamServices) -> Void = { _ in }
    ) throws {
        catalog = NumberedCatalog(total: total)
        tokens = TokenRegistry(loader: loader, time: time)
        limiter = StreamLimiter(limit: maximumStreams)
        loop = try EventLoop(label: "test")
        socket = WebSocket(loop: loop, peer: SocketAddress(ip: .v4(0x7F00_0001), port: 9), subprotocol: "tessera.v1")
        workQueue = FairWorkQueue(time: time)
        var services = StreamServices(
            catalog: catalog, loader: loader, tokens: tokens, limiter: limiter, workQueue: workQueue,
            pace: pace, time: time)
        change(&services)
        session = StreamSession(
            services: services, client: Client(.v4(0x7F00_0001)), formats: StreamFormats(accept: "image/webp"))
    }

    func open() async { await onLoop { $0.session.opened($0.socket) } }

    func say(_ messages: String...) async {
        await onLoop { fixture in for message in messages { fixture.session.received(.text(message)) } }
    }

    func end() async {
        await onLoop { $0.session.ended(.disconnected) }
        await loop.stop()
    }

    /// Everything that the stream sends now.
    func hear(atMost limit: Int = .max) async -> [Heard] { await onLoop { $0.pull(atMost: limit) } }

    /// The same, called on the loop.
    func pull(atMost limit: Int = .max) -> [Heard] {
        var received: [Heard] = []
        while received.count < limit, let message = session.nextMessage() {
            switch message {
            case .text(let text): received.append(.text(text))
            case .binary(let head, let body):
                received.append(
                    .frame(
                        Frame(
                            token: Array(head[..<16]), kind: head[16], status: head[17], format: head[18],
                            flags: head[19], version: head[20...].reduce(0) { $0 << 8 | UInt64($1) }, body: body)))
            }
        }
        return received
    }

    /// Everything that the stream sends until `isEnough`, for at most ten seconds.
    func hear(until isEnough: ([Heard]) -> Bool) async -> [Heard] {
        var all: [Heard] = []
        let deadline = ContinuousClock.now + .seconds(10)
        while !isEnough(all), ContinuousClock.now < deadline {
            all += await hear()
            if !isEnough(all) { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return all
    }

    func onLoop<Result: Sendable>(_ body: @escaping @Sendable (StreamFixture) -> Result) async -> Result {
        await withCheckedContinuation { done in loop.execute { done.resume(returning: body(self)) } }
    }
}

extension [StreamFixture.Heard] {
    var frames: [StreamFixture.Frame] {
        compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }

    var texts: [String] {
        compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}

/// A clock that only moves when the test advances it.
final class HeldTime: TimeKeeping {
    private let passed = Guarded(Duration.seconds(1_000))

    func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
    func uptime() -> Duration { passed.withLock { $0 } }
    func secondsSince1970() -> Int64 { 1_700_000_000 }
}

/// A catalog of numbered images.
final class NumberedCatalog: StreamCatalog {
    private struct Making {
        var isHeld = false
        var looks = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Guarded<(revision: UInt64, total: Int)>
    private let making = Guarded(Making())

    init(total: Int) { state = Guarded((1, total)) }

    var revisionAndTotal: (revision: UInt64, total: Int) { state.withLock { $0 } }

    func change(total: Int) { state.withLock { $0 = ($0.revision + 1, total) } }

    /// How often the revision and total of a view were requested.
    var looks: Int { making.withLock { $0.looks } }

    /// Holds the orders of views until ``letGo()``.
    func holdOrders() { making.withLock { $0.isHeld = true } }

    func letGo() {
        let waiting = making.withLock { making in
            making.isHeld = false
            defer { making.waiting = [] }
            return making.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Whether the orders of views exist already.
    let hasOrders = Atomic(false)

    func hasOrder(of view: View) -> Bool { hasOrders.load(ordering: .relaxed) }

    /// A shuffled view has its seed as the total, and always revision 7.
    func revisionAndTotal(of view: View) async throws -> (revision: UInt64, total: Int) {
        await withCheckedContinuation { continuation in
            let isHeld = making.withLock { making in
                making.looks += 1
                if making.isHeld { making.waiting.append(continuation) }
                return making.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        return revisionAndTotal(at: view)
    }

    private func revisionAndTotal(at view: View) -> (revision: UInt64, total: Int) {
        guard case .shuffle(let seed) = view.sort else { return revisionAndTotal }
        return (7, Int(seed))
    }

    func page(offset: Int, limit: Int, of view: View, for purpose: ReadingPurpose) async throws -> Page {
        let (revision, total) = revisionAndTotal(at: view)
        let range = (offset..<offset + limit).clamped(to: 0..<total)
        return Page(
            view: view, revision: revision, total: total, offset: offset, images: range.map { PlanFixture.image($0) },
            next: nil)
    }
}

/// A loader that has in memory what the test put there; other loads end when the test says so.
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
            deliver(.success(.bytes(PlanFixture.rendition(rendition, bytes: 100))))
        }
    }

    private let begun = Guarded<[Load]>([])
    private let isInMemory = Guarded(false)
    private let silence = Guarded<Duration?>(nil)

    var loads: [Load] { begun.withLock { $0 } }

    func holdEverything() { isInMemory.withLock { $0 = true } }

    /// Makes every origin silent for this long; nil if none is.
    func keepSilent(for duration: Duration?) { silence.withLock { $0 = duration } }

    func originSilence(of image: ImageID) -> Duration? { silence.withLock { $0 } }

    func cached(_ request: LoadRequest) -> RenditionBytes? {
        guard isInMemory.withLock(\.self) else { return nil }
        return PlanFixture.rendition(request.rendition == .preview ? .preview : .tile, bytes: 100)
    }

    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart {
        if let bytes = cached(request) { return .cached(bytes) }
        let load = Load(request, priority, deliver)
        begun.withLock { $0.append(load) }
        return .loading(load)
    }
}
