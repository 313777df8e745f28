import CLinux

/// The events to watch a descriptor for.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes to read, or a connection to accept. Also reports when the peer shuts down its sending side.
    public static let read = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
    /// Room to write.
    public static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// Reports a change once instead of for as long as it lasts. The handler must read and write until `EAGAIN`.
    public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
}

/// The events of a descriptor.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes to read, a connection to accept, or the end of the stream.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has shut down its sending side. It may still read.
    public static let peerFinished = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed.
    public static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has failed, for instance because the peer reset the connection.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}

/// An object that watches descriptors on an ``EventLoop``.
public protocol EventHandler: AnyObject {
    /// Called on the loop. May watch, rewatch and unwatch any descriptor, including its own.
    func descriptorIsReady(_ events: Readiness)
}
