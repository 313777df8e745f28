import Images
import Scheduling

@testable import Loading

/// A loader that does only what the test says.
final class MockLoader: RenditionLoading {
    let loads = Recorder<MockLoad>()

    func cached(_ request: LoadRequest) -> RenditionBytes? { nil }

    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart {
        let load = MockLoad(request: request, priority: priority, deliver: deliver)
        loads.record(load)
        return .loading(load)
    }
}

final class MockLoad: LoadHandle {
    let request: LoadRequest
    let priority: Priority
    let priorities = Recorder<Priority>()
    let cancels = Recorder<Bool>()
    let deliver: @Sendable (Result<LoadedContent, LoadFailure>) -> Void

    init(
        request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) {
        self.request = request
        self.priority = priority
        self.deliver = deliver
    }

    func cancel() { cancels.record(true) }
    func reprioritise(_ priority: Priority) { priorities.record(priority) }

    func succeed(_ bytes: [UInt8] = [1]) {
        deliver(
            .success(
                .bytes(
                    RenditionBytes(
                        bytes: bytes, mediaType: "image/webp", version: ContentVersion(rawValue: 1), width: 1,
                        height: 1))))
    }
    func fail() { deliver(.failure(LoadFailure(status: 502, publicMessage: "No."))) }
}
