import Catalog
import EventLoops
import HTTPServer
import HTTPTypes
import Loading
import Locking
import Scheduling
import Testing

@testable import GalleryServer

/// Five hundred loads begun and five hundred ended take milliseconds, which a loop does not have.
@Suite struct TokensLoopTests {
    @Test func `loads of tokens are begun and cancelled off the loop of the connection`() async throws {
        let gallery = try await TestGallery(files: ["a.jpg": try picture(red: 1)])
        let loop = try EventLoop(label: "test")
        let loader = WatchfulLoader(loop)
        var router = Router()
        TokensRoutes(
            catalog: gallery.catalog, tokens: TokenBook(loader: loader), turns: WorkTurns(), relay: Alone()
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

/// Notes where it is called.
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
    ) -> any LoadHandle {
        note("load")
        return Load(loader: self)
    }
}
