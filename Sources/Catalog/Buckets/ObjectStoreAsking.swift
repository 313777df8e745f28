/// Asks a store in the operator's name. It signs, limits, and tries again what fails in passing; what it is asked for, it
/// does not know.
public protocol ObjectStoreAsking: Sendable {
    /// Asks for what stands at a URL. Returns at once.
    ///
    /// - Parameter events: called in order, on any thread, which it must not block.
    func ask(_ url: String, events: @escaping @Sendable (ObjectStoreEvent) -> Void) -> any ObjectStoreQuestion
}

/// A question under way.
public protocol ObjectStoreQuestion: Sendable {
    /// Ends it; an event may still be on its way. Any thread, any time.
    func cancel()
}

/// One step of an answer.
public enum ObjectStoreEvent: Sendable {
    /// The store answers with what was asked for; its bytes follow from the first on, whatever came before.
    case began
    case bytes([UInt8])
    /// The end: all bytes were told.
    case whole
    /// The end: the store answers with another status, the beginning of a body, and the region that it names, if it does.
    case refused(status: Int, body: [UInt8], region: String?)
    /// The end: there is no answer. The message is for people.
    case failed(String)
}
