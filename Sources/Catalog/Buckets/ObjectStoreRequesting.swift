/// Sends requests to an object store with the operator's credentials. The implementation signs, limits and retries
/// requests; it does not know what they are for.
public protocol ObjectStoreRequesting: Sendable {
    /// Requests a URL. Returns at once.
    ///
    /// - Parameter events: Called in order, on any thread, which it must not block.
    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreRequest
}

/// A request in flight.
public protocol ObjectStoreRequest: Sendable {
    /// Cancels the request; one more event may still arrive. Callable on any thread at any time.
    func cancel()
}

/// A step of a response.
public enum ObjectStoreEvent: Sendable {
    /// A successful response begins. Its bytes follow from the first one; discard all bytes received earlier.
    case began
    case bytes([UInt8])
    /// The end: all bytes have been delivered.
    case whole
    /// The end: the store responded with another status. `body` is the beginning of the body; `region` is the region
    /// that the response names, if it does.
    case refused(status: Int, body: [UInt8], region: String?)
    /// The end: there was no response. The message is for people.
    case failed(String)
}
