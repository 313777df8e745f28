public import Scheduling

/// Agrees with other machines on who makes what, so that each rendition is made once, and each remote original fetched
/// once, however many machines are asked for it.
///
/// Calls return at once, from any thread.
public protocol Coordinating: Sendable {
    /// Whether there is nobody to agree with now. A load asks this first, and nothing more where it is so.
    var isAlone: Bool { get }

    /// Asks for the turn to make a rendition. Of a remote image one machine has the turn for all renditions.
    ///
    /// - Parameters:
    ///   - urgency: For whoever has the turn: how urgent it is here.
    ///   - insists: A person asked for another try: a failure that others met is not heard.
    ///   - hear: Called on any thread. See ``TurnNews``.
    func ask(
        _ name: SharedName, urgency: Priority.Lane, insists: Bool, hear: @escaping @Sendable (TurnNews) -> Void
    ) -> any Turn

    /// Says that a rendition which others wanted can be found now.
    func tell(made name: SharedName)

    /// Says that a rendition which others wanted was made, but is not to be found: whoever waits makes it itself.
    func tell(unshared name: SharedName)
}

/// What one hears who has asked for a turn: first one of the first four, and after `.mine` any number of the others.
public enum TurnNews: Hashable, Sendable {
    /// Make it, and end the turn. Whatever is told to others bears this number; those of later turns are greater.
    case mine(fence: UInt64)
    /// Another machine has made it, and it can be found.
    case made
    /// Another machine has found that it cannot be made.
    case failed(LoadFailure)
    /// Nobody can be asked: make it, and tell nobody.
    case alone
    /// Others wait for this rendition of the image whose turn it is.
    case wanted(SharedName, urgency: Priority.Lane)
    /// They wait no longer.
    case unwanted(SharedName)
}

/// A turn that was asked for. It passes to another machine by itself when this one dies.
public protocol Turn: Sendable {
    /// Ends it, once; also while it is still waited for. From any thread, returns at once.
    func end(_ outcome: TurnOutcome)
}

/// How a turn ended.
public enum TurnOutcome: Hashable, Sendable {
    /// It can be found by others.
    case made
    /// It would fail elsewhere in the same way.
    case failed(LoadFailure)
    /// It was not made, or is not for others: whoever waits makes it itself.
    case gaveUp
}
