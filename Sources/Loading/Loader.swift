import Images
import Origins
import Renditions
import Scheduling

/// The coalescing loader.
public final class Loader: RenditionLoading {
    public let configuration: Configuration

    /// - Throws: `InvalidConfiguration`; `LoadFailure` when the folder of the caches cannot be written.
    public init(
        configuration: Configuration = Configuration(), origins: any OriginFetching, renderer: any Rendering,
        files: any FileOpening, learner: any FactsLearning, time: any TimeKeeping = SystemTime()
    ) throws {
        try configuration.validate()
        self.configuration = configuration
    }

    public func cached(_ request: LoadRequest) -> RenditionBytes? { nil }

    public func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> any LoadHandle {
        deliver(.failure(.overloaded))
        return EndedLoad()
    }

    /// Cancels all loads and writes what is still unwritten, within the configured deadline.
    public func shutdown() async {}
}

private struct EndedLoad: LoadHandle {
    func cancel() {}
    func reprioritise(_ priority: Priority) {}
}
