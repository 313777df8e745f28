import Images
import Scheduling

/// Turns (image, rendition) into bytes, with one load for all concurrent requests.
public protocol RenditionLoading: Sendable {
    /// The rendition if it is in memory and need not be revalidated, without starting a load. Never blocks; any thread.
    func cached(_ request: LoadRequest) -> RenditionBytes?

    /// How long the image's origin has sent nothing while its original is being fetched; nil if no response is awaited
    /// from it. Never blocks; any thread.
    func originSilence(of image: ImageID) -> Duration?

    /// Returns the rendition from memory, or starts a load or joins the one in flight. Returns at once.
    ///
    /// - Parameter deliver: Called exactly once, on a thread of the loader, which it must not block. Never called if
    ///   memory had the rendition, or if the load is cancelled first.
    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart
}

/// How a load starts.
public enum LoadStart: Sendable {
    /// Memory had the rendition, so there is no load.
    case cached(RenditionBytes)
    /// The load is in flight. Only the handle controls it; releasing the handle does not end the load.
    case loading(any LoadHandle)
}

extension RenditionLoading {
    /// Always nil, for loaders without origins.
    public func originSilence(of image: ImageID) -> Duration? { nil }
}

/// One waiter of a load. All methods are safe from any thread, return at once, and may be called repeatedly.
public protocol LoadHandle: Sendable {
    /// Leaves the load; the last waiter to leave ends it. Nothing is delivered after this call, unless a delivery was
    /// already running. Closes an original that was delivered while it was still arriving.
    func cancel()

    /// Changes this waiter's priority, in every stage of the load.
    func reprioritise(_ priority: Priority)
}
