import Images
import Scheduling

/// Turns (image, rendition) into bytes, once for all who wait.
public protocol RenditionLoading: Sendable {
    /// The rendition, if memory holds it and it need not be revalidated. Never blocks; any thread.
    func cached(_ request: LoadRequest) -> RenditionBytes?

    /// For how long the image's origin has sent nothing, while its original is being fetched; nil while nothing is
    /// awaited from there. Never blocks; any thread.
    func originSilence(of image: ImageID) -> Duration?

    /// Begins a load, or joins the one under way; returns at once.
    ///
    /// - Parameter deliver: Called exactly once, on a thread of the loader which it must not block, unless the load is
    ///   cancelled before: then never.
    /// - Returns: The one way to steer the load. Dropping it does not end the load.
    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> any LoadHandle
}

extension RenditionLoading {
    /// Of loads that have no origins.
    public func originSilence(of image: ImageID) -> Duration? { nil }
}

/// One waiter on a load. All calls are safe from any thread, return at once, and may come as often as one likes.
public protocol LoadHandle: Sendable {
    /// Leaves the load; the last to leave ends it. After the call nothing is delivered any more, save by a delivery that
    /// was already running. An original that was delivered while it still grows is closed.
    func cancel()

    /// Changes how urgent this waiter is, in every stage.
    func reprioritise(_ priority: Priority)
}
