import Catalog
import EventLoops
import HTTPServer
import HTTPTypes
import Loading
import Locking
import Scheduling
import Testing

@testable import GalleryServer

/// Starting or cancelling five hundred loads takes milliseconds, which is too long for an event loop.
@Suite struct TokensLoopTests {
    @Test func `loads of tokens are started and cancelled off the connection's event loop`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let loop = try EventLoop(label: "test")
        let loader = WatchfulLoader(loop)
        var router = Router()
        TokensRoutes(
            catalog: gallery.catalog, tokens: TokenRegistry(loader: loader), workQueue: FairWorkQueue(),
            paths: RenditionPath(), forwarding: SingleNode()
        ).add(to: &router)
        let ask = { @Sendable [router] (path: String, text: String) in
            await router.response(
                to: try Request(
                    .post, path, headers: [.contentType: "application/json"], body: Array(text.utf8), loop: loop))
        }
        let answer = Answer(try await ask("/api/v1/tokens", #"{"first":0,"count":1}"#))
        #expect(answer.status == 201)
        let session = try await answer.json(as: TokensAnswer.self).session
        #expect(try await ask("/api/v1/tokens/cancel", #"{"session":"\#(session)"}"#).status == .ok)
        #expect(loader.calls == [.init(name: "load", isOnLoop: false), .init(name: "cancel", isOnLoop: false)])
        await gallery.close()
    }
}

/// Records whether it is called on the loop.
private final class WatchfulLoader: RenditionLoading {
    struct Call: Equatable {
        let name: String
        let isOnLoop: Bool
    }

    private struct Load: LoadHandle {
        let loader: WatchfulLoader

        func cancel() { loader.note("cancel") }
        func reprioritise(_ priority: Priority) {}
    }

    private let loop: EventLoop
    private let noted = Guarded<[Call]>([])

    init(_ loop: EventLoop) { self.loop = loop }

    var calls: [Call] { noted.withLock { $0 } }

    private func note(_ name: String) {
        let call = Call(name: name, isOnLoop: loop.isCurrent)
        noted.withLock { $0.append(call) }
    }

    func cached(_ request: LoadRequest) -> RenditionBytes? { nil }

    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart {
        note("load")
        return .loading(Load(loader: self))
    }
}
